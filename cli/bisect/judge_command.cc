#include "cli/bisect/judge_command.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/printable.h"
#include "cli/bisect/options.h"
#include "cli/bisect/session.h"
#include "cli/bisect/test_run.h"

namespace gprofhub::cli {
namespace {

struct JudgeArguments {
  SoughtOptions sought;
  std::optional<double> before;
  std::optional<double> after;
  uint32_t runs = 1;
  std::string folder;
};

int Abort(const absl::Status& status) {
  ReportStatus(status);
  return kJudgeAbort;
}

int Skip(absl::string_view why) {
  std::cerr << "gprofhub: skipped: " << base::Printable(why) << "\n";
  return kJudgedSkip;
}

int RunJudge(const JudgeArguments& arguments) {
  absl::StatusOr<Sought> sought = FindSought(arguments.sought, std::nullopt);
  if (!sought.ok()) return Abort(sought.status());
  const Levels levels = {arguments.before.value_or(sought->levels.before),
                         arguments.after.value_or(sought->levels.after)};
  if (levels.before == levels.after) {
    return Abort(absl::InvalidArgumentError("--before and --after are the same count"));
  }
  const std::string folder = arguments.folder.empty() ? DefaultBisectFolder(".") : arguments.folder;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  const TestRun test = {arguments.sought.bazel, ".",
                        std::filesystem::absolute(folder, error).string()};
  const absl::StatusOr<Measurement> measured =
      RunTest(test, SettingOf(arguments.sought, *sought), arguments.runs);
  if (!measured.ok()) return Abort(measured.status());
  if (!measured->skipped.empty()) return Skip(measured->skipped);
  const absl::StatusOr<Level> level = LevelOf(levels, measured->counts);
  if (!level.ok()) return Skip(level.status().message());
  const bool is_old = *level == Level::kOld;
  const int printed = PrintOutput(absl::StrCat("the count is ", CountText(measured->counts.front()),
                                               is_old ? ": old\n" : ": new\n"));
  if (printed != kExitOk) return kJudgeAbort;
  return is_old ? kJudgedOld : kJudgedNew;
}

}  // namespace

void AddBisectJudgeCommand(CLI::App& app, CommandMain& run) {
  CLI::App* command = app.add_subcommand(
      kJudgeCommand,
      "Say whether what is checked out here has the old count or the new one, for `git bisect "
      "run`\n"
      "Ends with 0 for the old count, 1 for the new one, 125 for a commit that cannot be tested, "
      "and 128 for an error, which ends `git bisect run`. Runs Bazel in this folder.");
  auto arguments = std::make_shared<JudgeArguments>();
  command->add_option("--before", arguments->before, "The old count (default: the finding's)")
      ->type_name("CALLS");
  command->add_option("--after", arguments->after, "The new count (default: the finding's)")
      ->type_name("CALLS");
  command->add_option("--runs", arguments->runs, "Runs of the test; all must agree")
      ->check(CLI::Range(1u, 100u))
      ->capture_default_str();
  command
      ->add_option("--folder", arguments->folder,
                   "Folder for Bazel's log and events (default: one in the user's cache)")
      ->type_name("FOLDER");
  AddSoughtOptions(*command, arguments->sought);
  SetExamples(*command, {"git bisect start HEAD 3fa41c2",
                         "git bisect run gprofhub bisect-judge --target //db:query_test --function "
                         "parse --before 10 --after 80"});
  command->callback([arguments, &run] {
    CheckSoughtOptions(arguments->sought);
    const bool has_both = arguments->before.has_value() && arguments->after.has_value();
    if (arguments->sought.finding.empty() && !has_both) {
      throw CLI::ValidationError("--function", "needs --before and --after");
    }
    if (!arguments->sought.finding.empty() && arguments->sought.report.empty()) {
      throw CLI::ValidationError("--finding", "needs --report");
    }
    run = [arguments] { return RunJudge(*arguments); };
  });
}

}  // namespace gprofhub::cli
