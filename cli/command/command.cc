#include "cli/command/command.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/file.h"
#include "base/network/network.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "cli/command/project_file.h"
#include "cli/command/terminal.h"

namespace gprofhub::cli {

namespace {

constexpr uint64_t kMaxTokenFileBytes = 64 << 10;

void Say(absl::string_view text) {
  const std::string line = absl::StrCat("gprofhub: ", base::PrintableLines(text), "\n");
  std::cerr << Wrapped(line, StderrScreen().columns);
}

std::string CheckedToken(absl::string_view source, absl::string_view value) {
  const absl::StatusOr<std::string> token = base::HeaderSecret(source, value);
  if (!token.ok()) throw CLI::ValidationError(std::string(token.status().message()));
  return *token;
}

std::string ReadToken(const std::string& path) {
  const absl::StatusOr<std::string> text = base::ReadFile(path, kMaxTokenFileBytes);
  std::string token = text.ok() ? CheckedToken("--token-file " + path, *text) : "";
  if (token.empty()) {
    throw CLI::ValidationError("--token-file", path + " cannot be read or is empty");
  }
  return token;
}

// An ID token of the CI job is handled like a token.
std::string TokenOfEnvironment() {
  std::string token;
  for (const char* name : {"GPROFHUB_ID_TOKEN", "GPROFHUB_TOKEN"}) {
    const char* const value = std::getenv(name);
    std::string given = value == nullptr ? "" : CheckedToken(name, value);
    if (!given.empty()) token = std::move(given);
  }
  return token;
}

// The address in the form of the documents: "host:port" or "https://host[:port]".
absl::StatusOr<std::string> NormalServer(absl::string_view server) {
  server = absl::StripAsciiWhitespace(server);
  RETURN_IF_ERROR(base::ParseServerAddress(server).status());
  const size_t slashes = server.find("://");
  if (slashes == absl::string_view::npos) return std::string(server);
  const std::string scheme = absl::AsciiStrToLower(server.substr(0, slashes));
  const absl::string_view rest = base::WithoutTrailingSlashes(server.substr(slashes + 3));
  return absl::StrCat(scheme == "grpc" ? "" : "https://", rest);
}

// Replaces an address by its usual form; returns what is wrong with it.
std::string CheckServer(std::string& server) {
  absl::StatusOr<std::string> normal = NormalServer(server);
  if (!normal.ok()) {
    return absl::StrCat(normal.status().message(), " (--server or GPROFHUB_SERVER)");
  }
  server = *std::move(normal);
  return "";
}

// The settings of .gprofhub.json; errors are a wrong command line.
ProjectFile FileHere() {
  absl::StatusOr<ProjectFile> file = ReadProjectFile(FindProjectFile());
  if (!file.ok()) throw CLI::ValidationError(std::string(file.status().message()));
  return *std::move(file);
}

void ServerFromFile(const CLI::Option& option, const ProjectFile& file, std::string& server) {
  if (option.count() > 0 || file.server.empty()) return;
  absl::StatusOr<std::string> normal = NormalServer(file.server);
  if (!normal.ok()) {
    throw CLI::ValidationError(absl::StrCat(file.path, ": server: ", normal.status().message()));
  }
  server = *std::move(normal);
}

void ProjectFromFile(const CLI::Option& option, const ProjectFile& file, std::string& project) {
  if (option.count() == 0 && !file.project.empty()) project = file.project;
}

// A file of certificates or a key, named by an option or by a variable of the environment.
CLI::Option* AddTlsFile(CLI::App& command, const char* name, const char* variable,
                        std::string& text, const char* description) {
  return command
      .add_option_function<std::string>(
          name,
          [name, &text](const std::string& path) {
            std::ifstream file(path);
            text.assign(std::istreambuf_iterator<char>(file), {});
            if (text.find("-----BEGIN ") == std::string::npos) {
              throw CLI::ValidationError(name, path + " cannot be read or is not a PEM file");
            }
          },
          description)
      ->type_name("FILE")
      ->envname(variable)
      ->group("TLS");
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
  const ScreenSize screen = StdoutScreen();
  if (screen.lines > 0 && LinesOnScreen(text, screen.columns) >= screen.lines) {
    std::cout << std::flush;
    const std::string pager = PagerCommand();
    if (!pager.empty() && PrintByPager(pager, text)) return kExitOk;
  }
  std::cout << text << std::flush;
  if (std::cout) return kExitOk;
  Say("cannot write to stdout");
  return kExitFailure;
}

int PrintText(absl::string_view text) { return PrintOutput(Wrapped(text, StdoutScreen().columns)); }

namespace {

CLI::Option* ProjectOption(CLI::App& command, std::string& project,
                           const std::string& description) {
  project = "default";
  return command.add_option("--project", project, description)
      ->envname("GPROFHUB_PROJECT")
      ->capture_default_str();
}

}  // namespace

void AddProjectOption(CLI::App& command, std::string& project, const std::string& description) {
  const CLI::Option* const option = ProjectOption(command, project, description);
  command.parse_complete_callback(
      [option, &project] { ProjectFromFile(*option, FileHere(), project); });
}

void AddServerOptions(CLI::App& command, ServerOptions& options) {
  options.server = "127.0.0.1:7070";
  const CLI::Option* const server =
      command
          .add_option("--server", options.server,
                      "Address of `gprofhub serve`, host:port; with TLS, https://host[:port]")
          ->envname("GPROFHUB_SERVER")
          ->transform(CLI::Validator(CheckServer, ""))
          ->capture_default_str();
  const CLI::Option* const project = ProjectOption(command, options.project, "Project of the runs");
  // The token comes from a file or the environment, never from the command
  // line, where every user of the machine could read it.
  command
      .add_option_function<std::string>(
          "--token-file", [&options](const std::string& path) { options.token = ReadToken(path); },
          "File with the project's token (default: GPROFHUB_TOKEN)")
      ->type_name("FILE")
      ->envname("GPROFHUB_TOKEN_FILE");
  AddTlsFile(command, "--ca-file", "GPROFHUB_CA_FILE", options.authorities,
             "Trusted CA certificates, PEM (default: the system's)");
  CLI::Option* const certificate =
      AddTlsFile(command, "--client-cert", "GPROFHUB_CLIENT_CERT", options.client_certificate,
                 "Client certificate, for servers that require one, PEM");
  CLI::Option* const key =
      AddTlsFile(command, "--client-key", "GPROFHUB_CLIENT_KEY", options.client_key,
                 "Private key of the client certificate, PEM");
  certificate->needs(key);
  key->needs(certificate);
  command.parse_complete_callback([server, project, &options] {
    const ProjectFile file = FileHere();
    ServerFromFile(*server, file, options.server);
    ProjectFromFile(*project, file, options.project);
    if (options.token.empty()) options.token = TokenOfEnvironment();
  });
}

void SetExamples(CLI::App& command, const std::vector<std::string>& examples) {
  std::string footer = "Examples:\n";
  for (const std::string& example : examples) footer += "  " + example + "\n";
  command.footer(footer);
}

namespace {

constexpr char kThisProgram[] = "/proc/self/exe";
constexpr char kLoader[] = "lib/ld-linux-x86-64.so.2";
constexpr char kCommands[] = "gprofhub_commands";

// The cache of the system's libraries is of no use: they are of another C library.
std::vector<std::string> StartByLoader(const std::string& loader, const std::string& folder,
                                       const std::string& name) {
  return {loader, "--inhibit-cache", "--library-path", folder + "lib", "--argv0",
          name,   folder + kCommands};
}

}  // namespace

std::vector<std::string> StartCommands(const std::string& folder, const std::string& name) {
  const std::string loader = folder + kLoader;
  if (access(loader.c_str(), X_OK) == 0) return StartByLoader(loader, folder, name);
  return {folder + kCommands};
}

std::vector<std::string> StartThisAgain() {
  char self[PATH_MAX];
  const ssize_t length = readlink(kThisProgram, self, sizeof self);
  absl::string_view path(self, length > 0 ? static_cast<size_t>(length) : 0);
  // The kernel's suffix for a file that was removed or replaced; the program now at this path is
  // started.
  absl::ConsumeSuffix(&path, " (deleted)");
  if (!absl::ConsumeSuffix(&path, kLoader) || !absl::EndsWith(path, "/")) return {kThisProgram};
  return StartByLoader(kThisProgram, std::string(path), kCommands);
}

}  // namespace gprofhub::cli
