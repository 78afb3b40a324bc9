#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "cli/client/query_client.h"
#include "cli/commands.h"
#include "proto/health.pb.h"

namespace gprofhub::cli {

namespace {

// Shorter than the usual interval of a liveness probe.
constexpr absl::Duration kTimeout = absl::Seconds(5);

struct HealthArguments {
  ServerOptions server;
  std::string service;
};

int RunHealth(const HealthArguments& arguments) {
  const absl::StatusOr<v1::HealthCheckResponse> health =
      AskHealth(Connect(arguments.server), arguments.service, kTimeout);
  if (!health.ok()) {
    return ReportStatus(
        absl::Status(health.status().code(),
                     absl::StrCat(arguments.server.server, ": ", health.status().message())));
  }
  if (health->status() != v1::HealthCheckResponse::SERVING) {
    PrintOutput("not serving\n");
    return kExitFailure;
  }
  return PrintOutput("serving\n");
}

}  // namespace

void AddHealthCommand(CLI::App& app, CommandMain& run) {
  CLI::App* command = app.add_subcommand("health",
                                         "Say whether a server serves\n"
                                         "Prints \"serving\" and ends with 0, or \"not serving\" "
                                         "and ends with 1; with 4 if it does not "
                                         "answer within five seconds. Needs no token.");
  auto arguments = std::make_shared<HealthArguments>();
  command->add_option("--service", arguments->service,
                      "A part of the server, such as gprofhub.v1.Query or gprofhub.worker "
                      "(default: all of it)");
  AddServerOptions(*command, arguments->server);
  SetExamples(*command, {"gprofhub health", "gprofhub health --server 10.0.0.5:7070"});
  command->callback([arguments, &run] { run = [arguments] { return RunHealth(*arguments); }; });
}

}  // namespace gprofhub::cli
