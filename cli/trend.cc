#include "reporter/rendering/trend.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/client/query_client.h"
#include "cli/commands.h"
#include "reporter/rendering/json.h"

namespace gprofhub::cli {

namespace {

struct TrendArguments {
  ServerOptions server;
  std::string function;
  std::string target;
  std::string branch;
  std::string configuration;
  std::string by = "run";
  uint32_t limit = 100;
  std::string format = "table";
};

std::string TextOf(const v1::GetTrendResponse& trend, const std::string& format) {
  const bool is_of_runs = trend.by() == v1::BY_RUN;
  if (format == "csv") {
    return is_of_runs ? reporter::RenderTrendCsv(trend) : reporter::RenderPeriodsCsv(trend);
  }
  if (format == "json") return reporter::RenderJson(trend);
  return is_of_runs ? reporter::RenderTrendTable(trend) : reporter::RenderPeriodsTable(trend);
}

int RunTrend(const TrendArguments& arguments) {
  v1::GetTrendRequest request;
  request.set_function(arguments.function);
  request.set_target(arguments.target);
  request.set_branch(arguments.branch);
  request.set_configuration(arguments.configuration);
  const absl::StatusOr<v1::TrendBy> by = reporter::TrendByOf(arguments.by);
  if (!by.ok()) return ReportUsage(by.status());
  request.set_by(*by);
  request.set_limit(arguments.limit);
  const absl::StatusOr<v1::GetTrendResponse> trend =
      QueryClient(arguments.server).Call(&QueryStub::GetTrend, request);
  if (!trend.ok()) return ReportStatus(trend.status());
  const std::string text = TextOf(*trend, arguments.format);
  return arguments.format == "table" ? PrintText(text) : PrintOutput(text);
}

}  // namespace

void AddTrendCommand(CLI::App& app, CommandMain& run) {
  CLI::App* command = app.add_subcommand("trend", "Show the history of one function across runs");
  auto arguments = std::make_shared<TrendArguments>();
  command
      ->add_option("function", arguments->function,
                   "Linkage or C++ name of the function, or an unambiguous part of it")
      ->required();
  command->add_option("--target", arguments->target, "Only this target (default: the sum of all)");
  command->add_option("--branch", arguments->branch, "Only runs of this branch");
  command->add_option("--configuration", arguments->configuration,
                      "Only runs of this configuration");
  command
      ->add_option(
          "--by", arguments->by,
          "One row per run; or one per day or week, with the min, median and max of its runs")
      ->check(CLI::IsMember({"run", "day", "week"}))
      ->capture_default_str();
  command
      ->add_option("--limit", arguments->limit,
                   "Maximum number of runs, newest first; or of days or weeks (1,000), back from "
                   "the newest run")
      ->check(CLI::Range(1u, 10'000u))
      ->capture_default_str();
  command->add_option("--format", arguments->format, "Output format")
      ->check(CLI::IsMember({"table", "csv", "json"}))
      ->capture_default_str();
  AddServerOptions(*command, arguments->server);
  SetExamples(*command, {"gprofhub trend jsonAppendChar",
                         "gprofhub trend 'Parser::Next(int)' --target //db:query_test",
                         "gprofhub trend sqlite3VdbeExec --by week --limit 156",
                         "gprofhub trend sqlite3VdbeExec --branch main --format=csv > trend.csv"});
  command->callback([arguments, &run] { run = [arguments] { return RunTrend(*arguments); }; });
}

}  // namespace gprofhub::cli
