#include "cli/commands/check.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "cli/client/query_client.h"
#include "cli/local/policy_file.h"
#include "cli/output/count_gated.h"
#include "cli/output/gate.h"
#include "cli/output/make_report.h"
#include "reporter/forge/forge.h"
#include "reporter/gate/gate.h"
#include "reporter/posting/code_quality.h"
#include "reporter/queries/gate.h"

namespace gprofhub::cli {
namespace {

struct CheckArguments {
  ComparisonRequest comparison;
  std::string policy_file;
  std::string format = "text";
};

// What people said about the run, and of which pull request it is.
struct Said {
  std::vector<store::AcknowledgementRecord> acknowledgements;
  std::string pull_request;
};

absl::StatusOr<Said> AskServer(const ServerOptions& server, const std::string& run_id) {
  QueryClient client(server);
  Said said;
  absl::StatusOr<v1::ListAcknowledgementsResponse> list = client.ListAcknowledgements();
  if (!list.ok()) return list.status();
  for (const v1::Acknowledgement& acknowledgement : list->acknowledgements()) {
    said.acknowledgements.push_back(reporter::ToRecord(acknowledgement));
  }
  v1::GetRunRequest request;
  request.set_run(run_id);
  absl::StatusOr<v1::Run> run = client.GetRun(request);
  if (!run.ok()) return run.status();
  if (const auto number = reporter::ParseNumber(run->info().pull_request()); number.ok()) {
    said.pull_request = *number;
  }
  return said;
}

std::string Render(const reporter::GateResult& gate, const std::string& format) {
  if (format == "json") return RenderGateJson(gate);
  if (format == "codequality") return reporter::RenderCodeQuality(gate);
  return RenderGateText(gate);
}

int RunCheck(const CheckArguments& arguments) {
  const absl::StatusOr<reporter::Policy> policy = ReadPolicyFile(arguments.policy_file);
  if (!policy.ok()) return ReportUsage(policy.status());
  const absl::StatusOr<v1::Report> report = MakeReport(arguments.comparison);
  if (!report.ok()) return ReportStatus(report.status());
  Said said;
  if (!IsLocal(arguments.comparison)) {
    absl::StatusOr<Said> answer =
        AskServer(arguments.comparison.server, report->compared().head().run_id());
    if (!answer.ok()) return ReportStatus(answer.status());
    said = *std::move(answer);
  }
  const reporter::GateResult gate =
      reporter::JudgeGate(*report, *policy, said.acknowledgements, said.pull_request, absl::Now());
  if (!IsLocal(arguments.comparison)) {
    CountGated(arguments.comparison.server, report->compared().head().run_id(), gate);
  }
  const int printed = PrintOutput(Render(gate, arguments.format));
  if (printed != kExitOk) return printed;
  return gate.conclusion == reporter::GateResult::Conclusion::kFail ? kExitFailure : kExitOk;
}

}  // namespace

void AddCheckCommand(CLI::App& app, CommandMain& run) {
  CLI::App* command = app.add_subcommand(
      "check",
      "Say whether a run passes the repository's gate\n"
      "Ends with 0 if it passes or there is nothing to compare with, 1 if it fails, 2 for a policy "
      "file or command line that is wrong.");
  auto arguments = std::make_shared<CheckArguments>();
  arguments->comparison.head = "latest";
  command->add_option("run", arguments->comparison.head, "Run id, commit, latest, or local path")
      ->capture_default_str();
  command->add_option("--base", arguments->comparison.base,
                      "Run id, commit or local path to compare with (default: the run of the merge "
                      "base, else of its nearest ancestor that has one)");
  command
      ->add_option("--image", arguments->comparison.image,
                   "Program that wrote the local profiles, where it does not lie beside them")
      ->check(CLI::ExistingFile)
      ->type_name("FILE");
  command
      ->add_option("--policy", arguments->policy_file,
                   absl::StrCat("Policy file (default: ", reporter::kPolicyFile,
                                " in this folder, if there is one)"))
      ->type_name("FILE");
  command->add_option("--format", arguments->format, "How to print it")
      ->check(CLI::IsMember({"text", "json", "codequality"}))
      ->capture_default_str();
  AddServerOptions(*command, arguments->comparison.server);
  SetExamples(*command, {"gprofhub check", "gprofhub check 3fa41c2 --policy ci/gate.json",
                         "gprofhub check after/ --base before/ --format=json",
                         "gprofhub check --format=codequality > gl-code-quality-report.json"});
  command->callback([arguments, &run] { run = [arguments] { return RunCheck(*arguments); }; });
}

}  // namespace gprofhub::cli
