#include <CLI/CLI.hpp>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cli/client/output.h"
#include "cli/client/query_client.h"
#include "cli/commands.h"

namespace gprofhub::cli {

namespace {

using Json = nlohmann::ordered_json;

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
  int64_t take_back = 0;
  std::string format = "text";
};

std::string DayOf(int64_t unix_ms) {
  if (unix_ms == 0) return "never";
  return absl::FormatTime("%Y-%m-%d", absl::FromUnixMillis(unix_ms), absl::UTCTimeZone());
}

std::string Word(const v1::Acknowledgement& said) {
  if (said.taken_back_unix_ms() != 0) return absl::StrCat("taken back by ", said.taken_back_by());
  return said.not_a_regression() ? "false alarm" : "accepted";
}

std::string AcknowledgementsTable(const v1::ListAcknowledgementsResponse& listed) {
  Table table({Table::Align::kRight, Table::Align::kLeft, Table::Align::kLeft, Table::Align::kLeft,
               Table::Align::kLeft});
  table.AddRow({"ID", "PULL", "EXPIRES", "STATE", "FUNCTION, AUTHOR AND REASON"});
  for (const v1::Acknowledgement& said : listed.acknowledgements()) {
    table.AddRow(
        {absl::StrCat(said.id()), said.pull_request().empty() ? "all" : said.pull_request(),
         DayOf(said.expires_unix_ms()), Word(said),
         absl::StrCat(said.function(), said.target().empty() ? "" : " in ", said.target(), ", ",
                      said.author(), said.token_revoked() ? " (the token is revoked): " : ": ",
                      said.reason())});
  }
  return table.Text();
}

std::string AcknowledgementsJson(const v1::ListAcknowledgementsResponse& listed) {
  Json list = Json::array();
  for (const v1::Acknowledgement& said : listed.acknowledgements()) {
    Json entry = {{"id", said.id()},
                  {"function", said.function()},
                  {"target", said.target()},
                  {"pull_request", said.pull_request()},
                  {"author", said.author()},
                  {"reason", said.reason()},
                  {"not_a_regression", said.not_a_regression()},
                  {"until", nullptr},
                  {"token", said.token_id()},
                  {"token_revoked", said.token_revoked()},
                  {"taken_back_by", nullptr}};
    if (said.taken_back_unix_ms() != 0) entry["taken_back_by"] = said.taken_back_by();
    if (said.expires_unix_ms() != 0) {
      entry["until"] = absl::FormatTime(
          "%Y-%m-%dT%H:%M:%SZ", absl::FromUnixMillis(said.expires_unix_ms()), absl::UTCTimeZone());
    }
    list.push_back(std::move(entry));
  }
  return JsonText(Json({{"schema", 1}, {"acknowledgements", std::move(list)}}));
}

int ListAll(const AckArguments& arguments) {
  v1::ListAcknowledgementsRequest request;
  request.set_with_taken_back(true);
  const auto listed = QueryClient(arguments.server).Call(&QueryStub::ListAcknowledgements, request);
  if (!listed.ok()) return ReportStatus(listed.status());
  return arguments.format == "json" ? PrintOutput(AcknowledgementsJson(*listed))
                                    : PrintText(AcknowledgementsTable(*listed));
}

int TakeBack(const AckArguments& arguments) {
  v1::TakeBackAcknowledgementRequest request;
  request.set_id(arguments.take_back);
  const auto taken =
      QueryClient(arguments.server).Call(&QueryStub::TakeBackAcknowledgement, request);
  if (!taken.ok()) return ReportStatus(taken.status());
  return PrintOutput(absl::StrCat("acknowledgement ", taken->id(), " was taken back: ",
                                  taken->function(), ", ", taken->author(), "\n"));
}

int RunAck(const AckArguments& arguments) {
  if (arguments.list) return ListAll(arguments);
  if (arguments.take_back != 0) return TakeBack(arguments);
  if (arguments.function.empty() || arguments.reason.empty()) {
    return ReportUsage(absl::InvalidArgumentError(
        "no function given: name a function and a --reason, or use --list or --take-back"));
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
  const auto made = QueryClient(arguments.server).Call(&QueryStub::Acknowledge, request);
  if (!made.ok()) return ReportStatus(made.status());
  return PrintOutput(absl::StrCat("acknowledgement ", made->id(), " expires on ",
                                  DayOf(made->expires_unix_ms()), "\n"));
}

}  // namespace

void AddAckCommand(CLI::App& app, CommandMain& run) {
  CLI::App* command =
      app.add_subcommand("ack",
                         "Accept a function's change, so that it no longer fails the check\nIn a "
                         "pull request the comment `/gprofhub ack FUNCTION reason` does the same.");
  auto arguments = std::make_shared<AckArguments>();
  if (const char* user = std::getenv("USER")) arguments->author = user;
  if (arguments->author.empty()) arguments->author = "somebody";
  command->add_option("function", arguments->function,
                      "Linkage or displayed name; * matches any characters");
  command->add_option("--reason", arguments->reason, "Why");
  command
      ->add_option("--target", arguments->target, "Only in this target; * matches any characters")
      ->type_name("LABEL");
  command->add_option("--pull-request", arguments->pull_request,
                      "Only in this pull request (default: all)");
  command
      ->add_option("--author", arguments->author,
                   "Author of the acknowledgement, if the server has no tokens (otherwise the "
                   "token determines it)")
      ->capture_default_str();
  command
      ->add_option("--expires-days", arguments->expires_days,
                   "Days until the acknowledgement expires")
      ->check(CLI::Range(1u, 3650u))
      ->capture_default_str();
  command->add_flag("--not-a-regression", arguments->not_a_regression,
                    "Mark the finding as a false alarm; `gprofhub stats` counts it");
  CLI::Option* const list =
      command->add_flag("--list", arguments->list, "List all acknowledgements instead");
  command
      ->add_option("--take-back", arguments->take_back,
                   "Take back the acknowledgement with this ID instead; its record is kept")
      ->type_name("ID")
      ->check(CLI::PositiveNumber)
      ->excludes(list);
  command->add_option("--format", arguments->format, "Output format of the list")
      ->check(CLI::IsMember({"text", "json"}))
      ->needs(list)
      ->capture_default_str();
  AddServerOptions(*command, arguments->server);
  SetExamples(
      *command,
      {"gprofhub ack jsonAppendChar --reason 'the new syntax needs it' --pull-request 17",
       "gprofhub ack 'test_*' --reason 'helpers of tests' --not-a-regression",
       "gprofhub ack --list", "gprofhub ack --list --format=json", "gprofhub ack --take-back 3"});
  command->callback([arguments, &run] { run = [arguments] { return RunAck(*arguments); }; });
}

}  // namespace gprofhub::cli
