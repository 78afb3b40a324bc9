#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/client/make_report.h"
#include "cli/client/query_client.h"
#include "cli/commands.h"

namespace gprofhub::cli {

namespace {

struct ReportArguments {
  ServerOptions server;
  ReportOutputOptions output;
  std::string run = "latest";
  std::string base;
};

int RunReport(const ReportArguments& arguments) {
  v1::CompareRequest request;
  request.set_head(arguments.run);
  request.set_base(arguments.base);
  request.set_all_times(PrintsAllTimes(arguments.output));
  QueryClient client(arguments.server);
  const absl::StatusOr<v1::Report> report = client.Call(&QueryStub::Compare, request);
  if (!report.ok()) return ReportStatus(report.status());
  std::string page;
  if (arguments.output.format == "text") {
    const absl::StatusOr<std::string> known =
        ComparisonPage(client, report->compared().head().run_id(), arguments.base);
    if (!known.ok()) return ReportStatus(known.status());
    page = *known;
  }
  return PrintReport(*report, arguments.output, arguments.server.project, page);
}

}  // namespace

void AddReportCommand(CLI::App& app, CommandMain& run) {
  CLI::App* command = app.add_subcommand("report", "Show what a run changed against its baseline");
  auto arguments = std::make_shared<ReportArguments>();
  command->add_option("run", arguments->run, kRunNames)->capture_default_str();
  command->add_option("--base", arguments->base,
                      "Run to compare with (default: the run of the merge base, else "
                      "of its nearest ancestor with a run)");
  AddReportOutputOptions(*command, arguments->output);
  AddServerOptions(*command, arguments->server);
  SetExamples(*command, {"gprofhub report", "gprofhub report 3fa41c2 --format=markdown",
                         "gprofhub report latest --base 17 --format=json",
                         "gprofhub report --fail-on=regressed --fail-above=1"});
  command->callback([arguments, &run] { run = [arguments] { return RunReport(*arguments); }; });
}

}  // namespace gprofhub::cli
