#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "cli/client/judge_run.h"
#include "cli/client/make_report.h"
#include "cli/client/policy_file.h"
#include "cli/commands.h"
#include "reporter/gate/policy.h"

namespace gprofhub::cli {

namespace {

struct CheckArguments {
  ComparisonRequest comparison;
  std::string policy_file;
  std::string format = "text";
};

int RunCheck(const CheckArguments& arguments) {
  const absl::StatusOr<reporter::Policy> policy = ReadPolicyFile(arguments.policy_file);
  if (!policy.ok()) return ReportUsage(policy.status());
  const absl::StatusOr<v1::Report> report = MakeReport(arguments.comparison);
  if (!report.ok()) return ReportStatus(report.status());
  std::optional<ServerOptions> server;
  if (!IsLocal(arguments.comparison)) server = arguments.comparison.server;
  const absl::StatusOr<reporter::GateResult> gate = JudgeRun(*report, *policy, server);
  if (!gate.ok()) return ReportStatus(gate.status());
  const std::string text = RenderGate(*gate, arguments.format, OwnersHere(*policy));
  const int printed = arguments.format == "text" ? PrintText(text) : PrintOutput(text);
  return printed != kExitOk ? printed : ExitCodeOf(*gate);
}

}  // namespace

void AddCheckCommand(CLI::App& app, CommandMain& run) {
  CLI::App* command = app.add_subcommand(
      "check",
      "Check a run against the repository's gate\nExits with 0 if it passes or there is nothing to "
      "compare with, 1 if it fails, 5 if it passes but some tests could not be compared, 2 for an "
      "invalid policy file or command line.");
  auto arguments = std::make_shared<CheckArguments>();
  arguments->comparison.head = "latest";
  command
      ->add_option("run", arguments->comparison.head,
                   "Run, as for `gprofhub report`, or local path")
      ->capture_default_str();
  command->add_option("--base", arguments->comparison.base,
                      "Run or local path to compare with (default: the run of the merge "
                      "base, else of its nearest ancestor with a run)");
  command
      ->add_option("--image", arguments->comparison.image,
                   "Program that wrote the local profiles, if it is not in their folder")
      ->check(CLI::ExistingFile)
      ->type_name("FILE");
  command
      ->add_option("--policy", arguments->policy_file,
                   absl::StrCat("Policy file (default: ", reporter::kPolicyFile,
                                " in the current directory or above it, if it exists)"))
      ->type_name("FILE");
  command->add_option("--format", arguments->format, "Output format")
      ->check(CLI::IsMember({"text", "json", "codequality"}))
      ->capture_default_str();
  AddServerOptions(*command, arguments->comparison.server);
  SetExamples(*command, {"gprofhub check", "gprofhub check 3fa41c2 --policy ci/gate.json",
                         "gprofhub check after/ --base before/ --format=json",
                         "gprofhub check --format=codequality > gl-code-quality-report.json"});
  command->callback([arguments, &run] { run = [arguments] { return RunCheck(*arguments); }; });
}

}  // namespace gprofhub::cli
