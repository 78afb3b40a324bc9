#include "cli/commands/trend.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/client/query_client.h"
#include "reporter/rendering/trend.h"

namespace gprofhub::cli {
namespace {

struct TrendArguments {
  ServerOptions server;
  std::string function;
  std::string target;
  std::string branch;
  uint32_t limit = 100;
  std::string format = "table";
};

int RunTrend(const TrendArguments& arguments) {
  v1::GetTrendRequest request;
  request.set_function(arguments.function);
  request.set_target(arguments.target);
  request.set_branch(arguments.branch);
  request.set_limit(arguments.limit);
  const absl::StatusOr<v1::GetTrendResponse> trend =
      QueryClient(arguments.server).GetTrend(request);
  if (!trend.ok()) return ReportStatus(trend.status());
  if (arguments.format == "csv") return PrintOutput(reporter::RenderTrendCsv(*trend));
  if (arguments.format == "json") return PrintOutput(reporter::RenderTrendJson(*trend));
  return PrintOutput(reporter::RenderTrendTable(*trend));
}

}  // namespace

void AddTrendCommand(CLI::App& app, CommandMain& run) {
  CLI::App* command = app.add_subcommand("trend", "Follow one function over the runs");
  auto arguments = std::make_shared<TrendArguments>();
  command
      ->add_option("function", arguments->function,
                   "Its linkage or C++ name, or a part that no other function's name has")
      ->required();
  command->add_option("--target", arguments->target, "One target only (default: their sum)");
  command->add_option("--branch", arguments->branch, "Runs of one branch only");
  command->add_option("--limit", arguments->limit, "At most this many runs, the newest")
      ->check(CLI::Range(1u, 10'000u))
      ->capture_default_str();
  command->add_option("--format", arguments->format, "How to print it")
      ->check(CLI::IsMember({"table", "csv", "json"}))
      ->capture_default_str();
  AddServerOptions(*command, arguments->server);
  SetExamples(*command, {"gprofhub trend jsonAppendChar",
                         "gprofhub trend 'Parser::Next(int)' --target //db:query_test",
                         "gprofhub trend sqlite3VdbeExec --branch main --format=csv > trend.csv"});
  command->callback([arguments, &run] { run = [arguments] { return RunTrend(*arguments); }; });
}

}  // namespace gprofhub::cli
