#include "cli/bisect/test_run.h"

#include <map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/read_file.h"
#include "ci/upload/images/image_bundles.h"
#include "ci/upload/results/build_events.h"
#include "ci/upload/results/cases.h"
#include "ci/upload/run/run_sources.h"
#include "cli/bisect/count_calls.h"
#include "cli/bisect/run_program.h"
#include "cli/bisect/test_profiles.h"

namespace gprofhub::cli {
namespace {

constexpr uint64_t kMaxLogBytes = 64 << 20;
constexpr uint64_t kMaxEventBytes = 1ULL << 30;

// Bazel's exit codes (bazel.build/run/scripts) that are about the commit.
constexpr int kBuildFailed = 1;
constexpr int kCommandLineWrong = 2;
constexpr int kTestFailed = 3;
constexpr int kNoTest = 4;
constexpr int kInterrupted = 8;

std::vector<std::string> CommandLine(const TestRun& test, const Setting& setting, uint32_t runs,
                                     const std::string& events) {
  std::vector<std::string> words = {test.bazel,
                                    "--max_idle_secs=60",
                                    "test",
                                    "--noshow_progress",
                                    "--color=no",
                                    absl::StrCat("--config=", setting.configuration),
                                    absl::StrCat("--runs_per_test=", runs),
                                    absl::StrCat("--build_event_binary_file=", events)};
  words.insert(words.end(), setting.bazel_options.begin(), setting.bazel_options.end());
  words.push_back("--");
  words.push_back(ci::TestOf(setting.question.target));
  return words;
}

// The first error line of the log; empty without one.
std::string FirstError(const std::string& log_file) {
  const absl::StatusOr<std::string> log = base::ReadFile(log_file, kMaxLogBytes);
  if (!log.ok()) return "";
  for (const absl::string_view line : absl::StrSplit(*log, '\n')) {
    if (absl::StartsWith(line, "ERROR: ")) return std::string(line.substr(7));
  }
  return "";
}

Measurement Skipped(absl::string_view what, const std::string& log_file) {
  const std::string error = FirstError(log_file);
  Measurement measurement;
  measurement.skipped = error.empty() ? std::string(what) : absl::StrCat(what, ": ", error);
  return measurement;
}

absl::StatusOr<Measurement> CountIn(const std::string& events, const Question& question) {
  const absl::StatusOr<std::string> bytes = base::ReadFile(events, kMaxEventBytes);
  if (!bytes.ok()) return bytes.status();
  const absl::StatusOr<ci::BuildLog> log = ci::ParseBuildEvents(*bytes, events);
  if (!log.ok()) return log.status();
  ci::ImageBundles bundles(ci::DefaultBundleFolder(ci::ProcessEnvironment()));
  const absl::StatusOr<std::vector<profile::ComputedProfile>> profiles =
      ComputeTestProfiles(*log, ci::PartOf(question.target), bundles);
  Measurement measurement;
  if (!profiles.ok()) {
    measurement.skipped = std::string(profiles.status().message());
    return measurement;
  }
  for (const profile::ComputedProfile& profile : *profiles) {
    measurement.counts.push_back(CountCalls(profile, question));
  }
  return measurement;
}

}  // namespace

absl::StatusOr<Measurement> RunTest(const TestRun& test, const Setting& setting, uint32_t runs) {
  const std::string log_file = absl::StrCat(test.files, "/bazel.log");
  const std::string events = absl::StrCat(test.files, "/events.bep");
  const absl::StatusOr<int> code =
      RunProgram(CommandLine(test, setting, runs, events), test.workspace, log_file);
  if (!code.ok()) return code.status();
  switch (*code) {
    case 0:
      return CountIn(events, setting.question);
    case kBuildFailed:
      return Skipped("it does not build", log_file);
    case kCommandLineWrong:
      return Skipped("Bazel does not take its options", log_file);
    case kTestFailed:
      return Skipped("its test fails", log_file);
    case kNoTest:
      return Skipped(absl::StrCat("it has no test ", setting.question.target), log_file);
    case kInterrupted:
      return absl::CancelledError("interrupted; the same command goes on from here");
    default:
      return absl::UnavailableError(absl::StrCat("Bazel ended with status ", *code, ": ",
                                                 FirstError(log_file), " (see ", log_file, ")"));
  }
}

}  // namespace gprofhub::cli
