#include "cli/commands/ack.h"

#include <cstdlib>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "base/printable.h"
#include "cli/client/query_client.h"

namespace gprofhub::cli {
namespace {

struct AckArguments {
  ServerOptions server;
  std::string function;
  std::string target;
  std::string pull_request;
  std::string reason;
  std::string author;
  uint32_t expires_days = 30;
  bool not_a_regression = false;
  bool list = false;
};

std::string DayOf(int64_t unix_ms) {
  if (unix_ms == 0) return "never";
  return absl::FormatTime("%Y-%m-%d", absl::FromUnixMillis(unix_ms), absl::UTCTimeZone());
}

int ListAll(const AckArguments& arguments) {
  const auto listed = QueryClient(arguments.server).ListAcknowledgements();
  if (!listed.ok()) return ReportStatus(listed.status());
  std::cout << absl::StreamFormat("%6s  %-8s  %-10s  %-14s  %s\n", "ID", "PULL", "EXPIRES", "SAYS",
                                  "FUNCTION, BY WHOM AND WHY");
  for (const v1::Acknowledgement& said : listed->acknowledgements()) {
    std::cout << absl::StreamFormat(
        "%6d  %-8s  %-10s  %-14s  %s%s, %s: %s\n", said.id(),
        said.pull_request().empty() ? "all" : base::Printable(said.pull_request()),
        DayOf(said.expires_unix_ms()), said.not_a_regression() ? "no regression" : "accepted",
        base::Printable(said.function()),
        said.target().empty() ? "" : absl::StrCat(" in ", base::Printable(said.target())),
        base::Printable(said.author()), base::Printable(said.reason()));
  }
  return kExitOk;
}

int RunAck(const AckArguments& arguments) {
  if (arguments.list) return ListAll(arguments);
  if (arguments.function.empty() || arguments.reason.empty()) {
    std::cerr << "gprofhub: name a function and a --reason, or give --list\n";
    return kExitUsage;
  }
  v1::AcknowledgeRequest request;
  v1::Acknowledgement& said = *request.mutable_acknowledgement();
  said.set_function(arguments.function);
  said.set_target(arguments.target);
  said.set_pull_request(arguments.pull_request);
  said.set_reason(arguments.reason);
  said.set_author(arguments.author);
  said.set_not_a_regression(arguments.not_a_regression);
  said.set_expires_unix_ms(
      absl::ToUnixMillis(absl::Now() + absl::Hours(24) * arguments.expires_days));
  const auto made = QueryClient(arguments.server).Acknowledge(request);
  if (!made.ok()) return ReportStatus(made.status());
  std::cout << "acknowledgement " << made->id() << " holds until " << DayOf(made->expires_unix_ms())
            << "\n";
  return kExitOk;
}

struct StatsArguments {
  ServerOptions server;
  std::string format = "text";
};

void PrintStatsJson(const v1::GetGateStatsResponse& stats) {
  nlohmann::json rules = nlohmann::json::array();
  for (const auto& rule : stats.rules()) {
    rules.push_back({{"rule", rule.rule()},
                     {"gated", rule.gated()},
                     {"acknowledged", rule.acknowledged()},
                     {"not_a_regression", rule.not_a_regression()},
                     {"false_alarm_rate", rule.false_alarm_rate()}});
  }
  const nlohmann::json document = {{"schema", 1}, {"rules", rules}};
  std::cout << document.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) << "\n";
}

int RunStats(const StatsArguments& arguments) {
  const auto stats = QueryClient(arguments.server).GetGateStats();
  if (!stats.ok()) return ReportStatus(stats.status());
  if (arguments.format == "json") {
    PrintStatsJson(*stats);
    return kExitOk;
  }
  std::cout << absl::StreamFormat("%-24s  %8s  %12s  %16s  %s\n", "RULE", "GATED", "ACKNOWLEDGED",
                                  "NOT A REGRESSION", "FALSE ALARMS");
  for (const auto& rule : stats->rules()) {
    std::cout << absl::StreamFormat("%-24s  %8d  %12d  %16d  %.1f%%\n",
                                    base::Printable(rule.rule()), rule.gated(), rule.acknowledged(),
                                    rule.not_a_regression(), 100 * rule.false_alarm_rate());
  }
  return kExitOk;
}

}  // namespace

void AddAckCommand(CLI::App& app, CommandMain& run) {
  CLI::App* command = app.add_subcommand(
      "ack",
      "Say that a change of a function is all right, so that it no longer fails the check\n"
      "In a pull request the comment `/gprofhub ack FUNCTION reason` does the same.");
  auto arguments = std::make_shared<AckArguments>();
  if (const char* user = std::getenv("USER")) arguments->author = user;
  if (arguments->author.empty()) arguments->author = "somebody";
  command->add_option("function", arguments->function,
                      "Linkage or displayed name; * stands for any characters");
  command->add_option("--reason", arguments->reason, "Why");
  command->add_option("--target", arguments->target, "In this target only; * as above")
      ->type_name("LABEL");
  command->add_option("--pull-request", arguments->pull_request,
                      "In this pull request only (default: in all)");
  command->add_option("--author", arguments->author, "Who says so")->capture_default_str();
  command->add_option("--expires-days", arguments->expires_days, "How long it holds")
      ->check(CLI::Range(1u, 3650u))
      ->capture_default_str();
  command->add_flag("--not-a-regression", arguments->not_a_regression,
                    "The alarm was false: `gprofhub stats` counts it");
  command->add_flag("--list", arguments->list, "Show all acknowledgements instead");
  AddServerOptions(*command, arguments->server);
  SetExamples(*command,
              {"gprofhub ack jsonAppendChar --reason 'the new syntax needs it' --pull-request 17",
               "gprofhub ack 'test_*' --reason 'helpers of tests' --not-a-regression",
               "gprofhub ack --list"});
  command->callback([arguments, &run] { run = [arguments] { return RunAck(*arguments); }; });
}

void AddStatsCommand(CLI::App& app, CommandMain& run) {
  CLI::App* command =
      app.add_subcommand("stats", "Say how often each rule of the gate was a false alarm");
  auto arguments = std::make_shared<StatsArguments>();
  command->add_option("--format", arguments->format, "How to print it")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  AddServerOptions(*command, arguments->server);
  SetExamples(*command, {"gprofhub stats", "gprofhub stats --project db --format=json"});
  command->callback([arguments, &run] { run = [arguments] { return RunStats(*arguments); }; });
}

}  // namespace gprofhub::cli
