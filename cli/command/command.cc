#include "cli/command/command.h"

#include <fstream>
#include <iostream>

#include "base/printable.h"

namespace gprofhub::cli {

int ReportStatus(const absl::Status& status) {
  if (status.ok()) return kExitOk;
  std::cerr << "gprofhub: " << base::PrintableLines(status.message()) << "\n";
  switch (status.code()) {
    case absl::StatusCode::kNotFound:
      return kExitNotFound;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kDeadlineExceeded:
      return kExitUnavailable;
    default:
      return kExitFailure;
  }
}

void AddProjectOption(CLI::App& command, std::string& project, const std::string& description) {
  project = "default";
  command.add_option("--project", project, description)
      ->envname("GPROFHUB_PROJECT")
      ->capture_default_str();
}

void AddServerOptions(CLI::App& command, ServerOptions& options) {
  options.server = "127.0.0.1:7070";
  command.add_option("--server", options.server, "Address of `gprofhub serve`, host:port")
      ->envname("GPROFHUB_SERVER")
      ->capture_default_str();
  AddProjectOption(command, options.project, "Project the runs belong to");
  // The token comes from a file or the environment, never from the command
  // line, where every user of the machine could read it.
  command
      .add_option_function<std::string>(
          "--token-file",
          [&options](const std::string& path) {
            std::ifstream file(path);
            if (!std::getline(file, options.token) || options.token.empty()) {
              throw CLI::ValidationError("--token-file", path + " cannot be read or is empty");
            }
          },
          "File holding the project's token (default: GPROFHUB_TOKEN)")
      ->type_name("FILE");
  if (const char* token = std::getenv("GPROFHUB_TOKEN")) options.token = token;
}

void SetExamples(CLI::App& command, const std::vector<std::string>& examples) {
  std::string footer = "Examples:\n";
  for (const std::string& example : examples) footer += "  " + example + "\n";
  command.footer(footer);
}

}  // namespace gprofhub::cli
