#include "cli/bisect/command.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/status_macros.h"
#include "ci/upload/results/ci_systems.h"
#include "cli/bisect/result_text.h"
#include "cli/bisect/test_run.h"
#include "cli/client/make_report.h"
#include "cli/client/output.h"
#include "cli/client/profiles.h"
#include "cli/verify/verify.h"

namespace gprofhub::cli {

namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMaxFindingBytes = 64 << 20;
constexpr std::chrono::milliseconds kWatchInterval(500);

struct VerifyArguments {
  ComparisonRequest comparison;
  std::string finding;   // an id, or a file
  std::string profiles;  // a local path; empty: Bazel runs the test
  BuildOptions build;
  uint32_t runs = 1;
  bool watch = false;
  std::string folder;
  std::string format = "text";
};

absl::StatusOr<v1::Explanation> ReadFinding(const VerifyArguments& arguments) {
  std::error_code error;
  if (!fs::is_regular_file(arguments.finding, error)) {
    return ExplainFinding(arguments.comparison, arguments.finding);
  }
  ASSIGN_OR_RETURN(const std::string json, base::ReadFile(arguments.finding, kMaxFindingBytes));
  return ReadFindingJson(json, arguments.finding);
}

absl::StatusOr<Verification> VerifyRuns(const VerifyArguments& arguments,
                                        const v1::Explanation& finding) {
  TestProfiles ran;
  if (!arguments.profiles.empty()) {
    ASSIGN_OR_RETURN(ran.profiles, ReadLocalRuns(arguments.profiles, arguments.comparison.image));
  } else {
    const std::string folder =
        fs::absolute(arguments.folder.empty() ? DefaultBisectFolder(".") : arguments.folder)
            .string();
    std::error_code error;
    fs::create_directories(folder, error);
    const v1::Finding& about = finding.finding();
    const Sought sought = {{about.target(), about.function(), about.caller()},
                           finding.configuration(),
                           {about.before(), about.after()}};
    ASSIGN_OR_RETURN(ran, RunTest({arguments.build.bazel, ".", folder},
                                  SettingOf(arguments.build, sought), arguments.runs));
  }
  if (!ran.skipped.empty()) return Verification{Answer::kCannotCompare, ran.skipped, {}, 0};
  return Verify(finding, ran.profiles);
}

int CodeOf(Answer answer) {
  switch (answer) {
    case Answer::kFixed:
      return kVerifiedFixed;
    case Answer::kPartly:
      return kVerifiedPartly;
    case Answer::kNotFixed:
      return kVerifiedNotFixed;
    case Answer::kCannotCompare:
      return kVerifyCannotCompare;
  }
  return kExitFailure;
}

// Of names, sizes and times of the work tree's files, without those that git ignores.
absl::StatusOr<std::string> Fingerprint(const ci::GitCommand& git) {
  ASSIGN_OR_RETURN(const std::string files,
                   git({"ls-files", "-z", "--cached", "--others", "--exclude-standard"}));
  std::string text;
  for (const absl::string_view name : absl::StrSplit(files, '\0', absl::SkipEmpty())) {
    std::error_code error;
    const fs::path path{std::string(name)};
    const uint64_t size = fs::file_size(path, error);
    const auto time = fs::last_write_time(path, error).time_since_epoch().count();
    absl::StrAppend(&text, name, "\n", error ? 0 : size, " ", error ? 0 : time, "\n");
  }
  return base::Sha256Hex(text);
}

// Returns once a file differs from those of `fingerprint`, which becomes the new one.
absl::Status WaitForEdit(const ci::GitCommand& git, std::string& fingerprint) {
  while (true) {
    ASSIGN_OR_RETURN(std::string now, Fingerprint(git));
    if (now != fingerprint) {
      fingerprint = std::move(now);
      return absl::OkStatus();
    }
    std::this_thread::sleep_for(kWatchInterval);
  }
}

absl::StatusOr<int> VerifyOnce(const VerifyArguments& arguments, const v1::Explanation& finding) {
  ASSIGN_OR_RETURN(const Verification verification, VerifyRuns(arguments, finding));
  const int printed =
      PrintOutput(arguments.format == "json" ? JsonText(VerificationJson(finding, verification))
                                             : VerificationText(finding, verification));
  return printed != kExitOk ? printed : CodeOf(verification.answer);
}

absl::StatusOr<int> Watch(const VerifyArguments& arguments, const v1::Explanation& finding) {
  const ci::GitCommand git = ci::GitIn(".");
  std::string fingerprint;
  while (true) {
    RETURN_IF_ERROR(WaitForEdit(git, fingerprint));
    ASSIGN_OR_RETURN(const int code, VerifyOnce(arguments, finding));
    if (code == kVerifiedFixed || code == kExitFailure) return code;
    std::cerr << "waiting for an edit; Ctrl-C ends\n";
  }
}

int RunVerify(const VerifyArguments& arguments) {
  const absl::StatusOr<v1::Explanation> finding = ReadFinding(arguments);
  if (!finding.ok()) return ReportStatus(finding.status());
  const absl::StatusOr<int> code =
      arguments.watch ? Watch(arguments, *finding) : VerifyOnce(arguments, *finding);
  return code.ok() ? *code : ReportStatus(code.status());
}

}  // namespace

void AddVerifyCommand(CLI::App& app, CommandMain& run) {
  CLI::App* command = app.add_subcommand(
      "verify",
      "Show whether an edit repaired a finding\n"
      "Builds and runs the finding's test in the current folder, a Bazel workspace, and compares "
      "its counts with those of the finding's base and head. Exits with 0: fixed, 8: not fixed, "
      "5: partly, 9: cannot be compared.");
  auto arguments = std::make_shared<VerifyArguments>();
  command
      ->add_option("finding", arguments->finding,
                   "File that `gprofhub get` printed; or id of a finding at the server")
      ->required()
      ->type_name("FILE | ID");
  auto* const profiles =
      command
          ->add_option(
              "profiles", arguments->profiles,
              "Local profiles to compare, as for `gprofhub diff`, instead of running Bazel")
          ->check(CLI::ExistingPath)
          ->type_name("PATH");
  command
      ->add_option("--image", arguments->comparison.image,
                   "Program that wrote the local profiles, if it is not in their folder")
      ->check(CLI::ExistingFile)
      ->needs(profiles)
      ->type_name("FILE");
  command
      ->add_option("--run", arguments->comparison.head,
                   "Run with the finding, as for `gprofhub report`")
      ->default_val("latest");
  command->add_option("--runs", arguments->runs, "Number of runs of the test")
      ->check(CLI::Range(1u, 100u))
      ->capture_default_str()
      ->excludes(profiles);
  command
      ->add_flag("--watch", arguments->watch,
                 "Verify again after each edit of a file that git does not ignore, until fixed")
      ->excludes(profiles);
  command
      ->add_option("--folder", arguments->folder,
                   "Folder for Bazel's log and events (default: a folder in the user's cache)")
      ->type_name("FOLDER");
  command->add_option("--format", arguments->format, "Output format")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  AddBuildOptions(*command, arguments->build);
  AddServerOptions(*command, arguments->comparison.server);
  SetExamples(*command, {"gprofhub get a2edb2b79c > finding.json", "gprofhub verify finding.json",
                         "gprofhub verify finding.json --watch", "gprofhub verify a2edb2b79c",
                         "gprofhub verify finding.json profiles/"});
  command->callback([arguments, &run] { run = [arguments] { return RunVerify(*arguments); }; });
}

}  // namespace gprofhub::cli
