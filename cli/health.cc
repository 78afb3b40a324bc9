#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/status.h"
#include "ci/upload/connection/channel.h"
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
    const std::optional<absl::Status> no_answer =
        ci::ExplainNoAnswer(arguments.server.server, health.status(), kTimeout,
                            [&arguments] { return WhyNoAnswer(arguments.server); });
    return ReportStatus(
        no_answer.value_or(base::WithContext(health.status(), arguments.server.server)));
  }
  if (health->status() != v1::HealthCheckResponse::SERVING) {
    PrintOutput("not serving\n");
    return kExitFailure;
  }
  return PrintOutput("serving\n");
}

}  // namespace

void AddHealthCommand(CLI::App& app, CommandMain& run) {
  CLI::App* command =
      app.add_subcommand("health",
                         "Check whether a server is serving\nPrints \"serving\" and exits with 0, "
                         "or \"not serving\" and exits with 1; exits with 4 if the server does not "
                         "answer within five seconds. Needs no token.");
  auto arguments = std::make_shared<HealthArguments>();
  command->add_option(
      "--service", arguments->service,
      "Service to check, such as gprofhub.v1.Query or gprofhub.worker (default: the whole server)");
  AddServerOptions(*command, arguments->server);
  SetExamples(*command, {"gprofhub health", "gprofhub health --server 10.0.0.5:7070"});
  command->callback([arguments, &run] { run = [arguments] { return RunHealth(*arguments); }; });
}

}  // namespace gprofhub::cli
