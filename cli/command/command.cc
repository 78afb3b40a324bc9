#include "cli/command/command.h"

#include <cstdlib>
#include <fstream>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "base/printable.h"

namespace gprofhub::cli {

namespace {

void Say(absl::string_view text) {
  std::cerr << "gprofhub: " << base::PrintableLines(text) << "\n";
}

// A token is one line.
std::string ReadToken(const std::string& path) {
  std::ifstream file(path);
  std::string token;
  if (!std::getline(file, token) || token.empty()) {
    throw CLI::ValidationError("--token-file", path + " cannot be read or is empty");
  }
  return token;
}

}  // namespace

int ReportStatus(const absl::Status& status) {
  if (status.ok()) return kExitOk;
  // A message may be lost on its way; its code is still something to look for.
  Say(status.message().empty() ? absl::StatusCodeToString(status.code()) : status.message());
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

int ReportUsage(const absl::Status& status) {
  Say(status.message());
  return kExitUsage;
}

void Warn(absl::string_view text) { Say(absl::StrCat("warning: ", text)); }

int PrintOutput(absl::string_view text) {
  std::cout << text << std::flush;
  if (std::cout) return kExitOk;
  Say("stdout cannot be written");
  return kExitFailure;
}

void AddProjectOption(CLI::App& command, std::string& project, const std::string& description) {
  project = "default";
  command.add_option("--project", project, description)
      ->envname("GPROFHUB_PROJECT")
      ->capture_default_str();
}

void AddServerOptions(CLI::App& command, ServerOptions& options) {
  options.server = "127.0.0.1:7070";
  command
      .add_option(
          "--server", options.server,
          "Address of `gprofhub serve`, host:port; behind a proxy with TLS, https://host[:port]")
      ->envname("GPROFHUB_SERVER")
      ->capture_default_str();
  AddProjectOption(command, options.project, "Project the runs belong to");
  // The token comes from a file or the environment, never from the command
  // line, where every user of the machine could read it.
  command
      .add_option_function<std::string>(
          "--token-file", [&options](const std::string& path) { options.token = ReadToken(path); },
          "File holding the project's token (default: GPROFHUB_TOKEN)")
      ->type_name("FILE");
  // An ID token of the CI job is shown likewise.
  for (const char* name : {"GPROFHUB_ID_TOKEN", "GPROFHUB_TOKEN"}) {
    if (const char* token = std::getenv(name)) options.token = token;
  }
}

void SetExamples(CLI::App& command, const std::vector<std::string>& examples) {
  std::string footer = "Examples:\n";
  for (const std::string& example : examples) footer += "  " + example + "\n";
  command.footer(footer);
}

}  // namespace gprofhub::cli
