#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/client/output.h"
#include "cli/client/query_client.h"
#include "cli/commands.h"
#include "reporter/rendering/json.h"

namespace gprofhub::cli {

namespace {

struct StatsArguments {
  ServerOptions server;
  std::string format = "text";
};

std::string RerunLine(const v1::GetGateStatsResponse& stats) {
  if (stats.reruns() == 0 && stats.rerun_requests() == 0) return "";
  std::string line = absl::StrCat("Reruns requested by reports: ", stats.rerun_targets(),
                                  stats.rerun_targets() == 1 ? " test in " : " tests in ",
                                  stats.reruns(), stats.reruns() == 1 ? " run" : " runs");
  if (stats.rerun_requests() > 0) {
    absl::StrAppend(&line, "; requested by people ", stats.rerun_requests(),
                    stats.rerun_requests() == 1 ? " time" : " times");
  }
  return line + ".\n";
}

std::string StatsTable(const v1::GetGateStatsResponse& stats) {
  if (stats.rules().empty()) {
    return RerunLine(stats) +
           "Nothing was gated yet. A change counts once `gprofhub check`, or the report on a pull "
           "request, lists it.\n";
  }
  Table table({Table::Align::kName, Table::Align::kRight, Table::Align::kRight,
               Table::Align::kRight, Table::Align::kRight});
  table.AddRow({"RULE", "GATED", "ACKNOWLEDGED", "NOT A REGRESSION", "FALSE ALARMS"});
  for (const auto& rule : stats.rules()) {
    table.AddRow({rule.rule(), absl::StrCat(rule.gated()), absl::StrCat(rule.acknowledged()),
                  absl::StrCat(rule.not_a_regression()),
                  absl::StrFormat("%.1f%%", 100 * rule.false_alarm_rate())});
  }
  return table.Text() + RerunLine(stats);
}

int RunStats(const StatsArguments& arguments) {
  const auto stats = QueryClient(arguments.server).Call(&QueryStub::GetGateStats, {});
  if (!stats.ok()) return ReportStatus(stats.status());
  return arguments.format == "json" ? PrintOutput(reporter::RenderJson(*stats))
                                    : PrintText(StatsTable(*stats));
}

}  // namespace

void AddStatsCommand(CLI::App& app, CommandMain& run) {
  CLI::App* command =
      app.add_subcommand("stats", "Show how often each rule of the gate was a false alarm");
  auto arguments = std::make_shared<StatsArguments>();
  command->add_option("--format", arguments->format, "Output format")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  AddServerOptions(*command, arguments->server);
  SetExamples(*command, {"gprofhub stats", "gprofhub stats --project db --format=json"});
  command->callback([arguments, &run] { run = [arguments] { return RunStats(*arguments); }; });
}

}  // namespace gprofhub::cli
