#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/file.h"
#include "cli/client/bazel_credentials.h"
#include "cli/client/query_client.h"
#include "cli/commands.h"

namespace gprofhub::cli {

namespace {

int GetCredentials(const ServerOptions& options) {
  std::string request;
  if (const absl::Status status = base::ReadStandardInput(request, kMaxCredentialRequestBytes);
      !status.ok()) {
    return ReportStatus(status);
  }
  const absl::StatusOr<std::string> response =
      BazelCredentials(request, options.server, TokenSourceOf(options));
  return response.ok() ? PrintOutput(*response + "\n") : ReportStatus(response.status());
}

}  // namespace

void AddCredentialHelperCommand(CLI::App& app, CommandMain& run) {
  CLI::App* command = app.add_subcommand(
      "credential-helper", "Print the token for Bazel's --credential_helper (Bazel 7 and later)");
  const auto options = std::make_shared<ServerOptions>();
  command->add_option("action", "Action of the protocol; reads a request from stdin")
      ->required()
      ->check(CLI::IsMember({"get"}));
  AddServerOptions(*command, *options);
  SetExamples(*command,
              {"echo '{\"uri\": \"https://localhost:7070\"}' | gprofhub credential-helper get"});
  command->callback([options, &run] { run = [options] { return GetCredentials(*options); }; });
}

}  // namespace gprofhub::cli
