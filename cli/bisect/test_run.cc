#include "cli/bisect/test_run.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "analyzer/worker/compute_profile.h"
#include "analyzer/worker/target_profile.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "base/word_pointers.h"
#include "ci/upload/image_search.h"
#include "ci/upload/prepare_execution.h"
#include "ci/upload/results/ci_systems.h"
#include "ci/upload/results/test_events.h"
#include "ci/upload/results/testlogs.h"
#include "profile/codec/message.h"
#include "profile/computed.h"
#include "profile/names.h"
#include "profile/raw_profile.h"
#include "profile/target_names.h"

namespace gprofhub::cli {

std::vector<uint32_t> RowsOf(const profile::ComputedProfile& profile, absl::string_view name,
                             profile::CloneKinds kinds) {
  const absl::string_view family = profile::WithoutCloneSuffixes(name, kinds);
  std::vector<uint32_t> rows;
  for (uint32_t row = 0; row < profile.functions.size(); ++row) {
    const absl::string_view one = profile.strings[profile.functions[row].name];
    if (profile::WithoutCloneSuffixes(one, kinds) == family) rows.push_back(row);
  }
  return rows;
}

namespace {

using Rows = std::vector<uint32_t>;  // ascending

bool Contains(const Rows& rows, uint32_t row) {
  return std::binary_search(rows.begin(), rows.end(), row);
}

uint64_t CallsFromEverywhere(const profile::ComputedProfile& profile, const Rows& callees) {
  uint64_t calls = 0;
  for (const uint32_t row : callees) {
    calls += profile.functions[row].calls + profile.functions[row].self_calls;
  }
  for (const profile::ArcCost& arc : profile.arcs) {
    const bool within =
        Contains(callees, arc.callee) && Contains(callees, arc.caller) && arc.caller != arc.callee;
    if (within) calls -= std::min(calls, arc.count);
  }
  return calls;
}

uint64_t CallsFrom(const profile::ComputedProfile& profile, const Rows& callees,
                   const std::string& caller) {
  const Rows callers = RowsOf(profile, caller);
  uint64_t calls = 0;
  for (const profile::ArcCost& arc : profile.arcs) {
    if (!Contains(callees, arc.callee)) continue;
    const bool is_outside = arc.caller >= profile.functions.size();
    const bool counts =
        is_outside ? caller == profile::kSpontaneousName : Contains(callers, arc.caller);
    if (counts) calls += arc.count;
  }
  return calls;
}

}  // namespace

double CountCalls(const profile::ComputedProfile& profile, const Question& question) {
  const Rows callees = RowsOf(profile, question.function);
  const uint64_t calls = question.caller.empty() ? CallsFromEverywhere(profile, callees)
                                                 : CallsFrom(profile, callees, question.caller);
  return static_cast<double>(calls) / std::max(1u, profile.repetitions);
}

}  // namespace gprofhub::cli

extern char** environ;

namespace gprofhub::cli {

absl::StatusOr<int> RunProgram(const std::vector<std::string>& words, const std::string& folder,
                               const std::string& log_file) {
  std::vector<std::string> copies = words;
  const std::vector<char*> argv = base::WordPointers(copies);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log_file.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  pid_t child = 0;
  const int spawned = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (spawned != 0) {
    return absl::NotFoundError(
        absl::StrCat("cannot run ", words[0], " in ", folder, ": ", std::strerror(spawned)));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  return absl::CancelledError(absl::StrCat(words[0], " was terminated by a signal"));
}

namespace {

// The profiles of a test that was just run here, computed without a server.

// One for each run of the test (--runs_per_test), summed over its shards, each by its last attempt.
// With a part of the test (ci/upload/results/test_events.h) they are those of the part.
// FAILED_PRECONDITION, with a clause, where a shard has no profile that could be read, or the log
// is about several tests.
absl::StatusOr<std::vector<profile::ComputedProfile>> ComputeTestProfiles(
    const ci::BuildLog& log, absl::string_view part, ci::ImageBundles& bundles);

// The last attempt of each run and shard, by run.
using Attempts = std::map<uint32_t, std::map<uint32_t, const ci::TestAttempt*>>;

absl::StatusOr<Attempts> LastAttempts(const ci::BuildLog& log) {
  Attempts attempts;
  for (const ci::TestAttempt& attempt : log.attempts) {
    if (attempt.label != log.attempts.front().label) {
      return absl::FailedPreconditionError(absl::StrCat("the target expands to several tests, ",
                                                        log.attempts.front().label, " and ",
                                                        attempt.label, "; choose one of them"));
    }
    const ci::TestAttempt*& last = attempts[attempt.run][attempt.shard];
    if (last == nullptr || last->attempt < attempt.attempt) last = &attempt;
  }
  return attempts;
}

// Sums executions. Their data lives as long as this.
class Sum {
 public:
  Sum(ci::ImageSearch& search, ci::ImageBundles& bundles) : search_(search), bundles_(bundles) {}

  // Adds the attempt's profile: that of the part of the test, or, if `part` is empty, of the whole
  // test.
  absl::Status Add(const ci::TestAttempt& attempt, absl::string_view part) {
    const std::string target = profile::TargetOf(attempt.label, part);
    std::vector<std::string> skipped;
    for (ci::PreparedExecution& prepared :
         ci::PrepareExecutions(attempt, search_, bundles_, skipped)) {
      if (!skipped.empty()) return absl::FailedPreconditionError(skipped.front());
      if (prepared.header.execution().target() != target || prepared.profiles.empty()) continue;
      return Add(prepared);
    }
    return absl::FailedPreconditionError(
        absl::StrCat("no process of ", target, " wrote a profile"));
  }

  profile::ComputedProfile Compute() {
    analyzer::ComputeOptions options;
    options.profiles = profiles_;
    return analyzer::ComputeProfile(sum_.Take(), options);
  }

 private:
  absl::Status Add(ci::PreparedExecution& prepared) {
    images_.merge(prepared.images);
    std::map<std::string, std::string> build_ids;  // by process; for a recording, any of them
    for (const v1::ProfileRef& ref : prepared.header.profiles()) {
      build_ids[ref.process()] = ref.build_id();
    }
    for (const ci::ProfileFile& profile : prepared.profiles) {
      RETURN_IF_ERROR(AddProfile(profile, build_ids[profile.name]));
    }
    profiles_ += static_cast<uint32_t>(prepared.profiles.size());
    return absl::OkStatus();
  }

  const profile::SymbolTable* SymbolsOf(absl::string_view build_id) const {
    const auto found = images_.find(std::string(build_id));
    return found == images_.end() ? nullptr : &found->second->symbols;
  }

  absl::Status AddProfile(const ci::ProfileFile& profile, const std::string& build_id) {
    ASSIGN_OR_RETURN(const std::optional<profile::Recording> recording,
                     profile::ReadIfRecording(profile.bytes, profile.name));
    if (recording.has_value()) {
      return sum_.AddRecording(*recording, [this](absl::string_view id) { return SymbolsOf(id); });
    }
    const profile::SymbolTable* const symbols = SymbolsOf(build_id);
    if (symbols == nullptr) return absl::InternalError("an image without symbols");
    absl::StatusOr<profile::RawProfile> part =
        profile::ReadImagePart(profile.bytes, profile.name, *symbols);
    return part.ok() ? sum_.AddProfile(*symbols, *std::move(part)) : part.status();
  }

  ci::ImageSearch& search_;
  ci::ImageBundles& bundles_;
  std::map<std::string, std::shared_ptr<const ci::Image>> images_;  // by build-id
  analyzer::TargetSum sum_;
  uint32_t profiles_ = 0;
};

absl::StatusOr<std::vector<profile::ComputedProfile>> ComputeTestProfiles(
    const ci::BuildLog& log, absl::string_view part, ci::ImageBundles& bundles) {
  if (log.attempts.empty()) return absl::FailedPreconditionError("no test was run");
  ASSIGN_OR_RETURN(const Attempts attempts, LastAttempts(log));
  ci::ImageSearch search({});
  std::vector<profile::ComputedProfile> profiles;
  for (const auto& [run, shards] : attempts) {
    Sum sum(search, bundles);
    for (const auto& [shard, attempt] : shards) {
      RETURN_IF_ERROR(sum.Add(*attempt, part));
    }
    profiles.push_back(sum.Compute());
  }
  return profiles;
}

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
  words.push_back(profile::TestOf(setting.question.target));
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

TestProfiles Skipped(absl::string_view what, const std::string& log_file) {
  const std::string error = FirstError(log_file);
  return {{}, error.empty() ? std::string(what) : absl::StrCat(what, ": ", error)};
}

absl::StatusOr<TestProfiles> ProfilesIn(const std::string& events, const std::string& target) {
  ASSIGN_OR_RETURN(const std::string bytes, base::ReadFile(events, kMaxEventBytes));
  ASSIGN_OR_RETURN(ci::BuildLog log, ci::ParseBuildEvents(bytes, events));
  ci::FindOutputsHere(log.workspace_directory, log.attempts);
  ci::ImageBundles bundles(ci::DefaultBundleFolder(ci::ProcessEnvironment()));
  absl::StatusOr<std::vector<profile::ComputedProfile>> profiles =
      ComputeTestProfiles(log, profile::PartOf(target), bundles);
  if (!profiles.ok()) return TestProfiles{{}, std::string(profiles.status().message())};
  return TestProfiles{*std::move(profiles), ""};
}

}  // namespace

absl::StatusOr<TestProfiles> RunTest(const TestRun& test, const Setting& setting, uint32_t runs) {
  const std::string log_file = absl::StrCat(test.files, "/bazel.log");
  const std::string events = absl::StrCat(test.files, "/events.bep");
  ASSIGN_OR_RETURN(const int code,
                   RunProgram(CommandLine(test, setting, runs, events), test.workspace, log_file));
  switch (code) {
    case 0:
      return ProfilesIn(events, setting.question.target);
    case kBuildFailed:
      return Skipped("it does not build", log_file);
    case kCommandLineWrong:
      return Skipped("Bazel rejects its options", log_file);
    case kTestFailed:
      return Skipped("its test fails", log_file);
    case kNoTest:
      return Skipped(absl::StrCat("it has no test ", setting.question.target), log_file);
    case kInterrupted:
      return absl::CancelledError("interrupted; repeat the command to continue");
    default:
      return absl::UnavailableError(absl::StrCat("Bazel exited with status ", code, ": ",
                                                 FirstError(log_file), " (see ", log_file, ")"));
  }
}

absl::StatusOr<Measurement> MeasureCalls(const TestRun& test, const Setting& setting,
                                         uint32_t runs) {
  ASSIGN_OR_RETURN(const TestProfiles ran, RunTest(test, setting, runs));
  Measurement measurement;
  measurement.skipped = ran.skipped;
  for (const profile::ComputedProfile& profile : ran.profiles) {
    measurement.counts.push_back(CountCalls(profile, setting.question));
  }
  return measurement;
}

}  // namespace gprofhub::cli
