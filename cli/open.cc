#include <spawn.h>
#include <sys/wait.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/text.h"
#include "cli/client/make_report.h"
#include "cli/client/query_client.h"
#include "cli/commands.h"

extern char** environ;  // NOLINT: POSIX has it so

namespace gprofhub::cli {

namespace {

struct OpenArguments {
  ServerOptions server;
  std::string run = "latest";
  std::string base;
};

bool IsSet(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

// Opens the address in the desktop's browser, if there is a desktop. Its programs may write to the
// terminal later, and outlive the command.
void ShowInBrowser(const std::string& url) {
  if (!IsSet("DISPLAY") && !IsSet("WAYLAND_DISPLAY")) return;
  char program[] = "xdg-open";
  char* const words[] = {program, const_cast<char*>(url.c_str()), nullptr};
  pid_t child = 0;
  int status = 0;
  if (posix_spawnp(&child, program, nullptr, nullptr, words, environ) != 0 ||
      waitpid(child, &status, 0) != child || status != 0) {
    Warn("xdg-open did not open the address in a browser");
  }
}

int RunOpen(const OpenArguments& arguments) {
  QueryClient client(arguments.server);
  const absl::StatusOr<std::string> url = ComparisonPage(client, arguments.run, arguments.base);
  if (!url.ok()) return ReportStatus(url.status());
  if (url->empty()) {
    return ReportStatus(absl::FailedPreconditionError(
        absl::StrCat(arguments.server.server,
                     " does not know the address of its pages; start it with gprofhub serve --http "
                     "and --http-url")));
  }
  // The address is the server's: it must not be an option or another kind of address.
  if ((!absl::StartsWith(*url, "http://") && !absl::StartsWith(*url, "https://")) ||
      base::Printable(*url) != *url) {
    return ReportStatus(absl::FailedPreconditionError(absl::StrCat(
        arguments.server.server, " returned an invalid address of its pages: ", *url)));
  }
  const int printed = PrintOutput(absl::StrCat(*url, "\n"));
  if (printed == kExitOk) ShowInBrowser(*url);
  return printed;
}

}  // namespace

void AddOpenCommand(CLI::App& app, CommandMain& run) {
  CLI::App* command = app.add_subcommand(
      "open",
      "Open the page of a run's comparison\nPrints its address, and opens it in a browser if there "
      "is a display.");
  auto arguments = std::make_shared<OpenArguments>();
  command->add_option("run", arguments->run, kRunNames)->capture_default_str();
  command->add_option("--base", arguments->base,
                      "Run to compare with (default: the baseline that the server chooses)");
  AddServerOptions(*command, arguments->server);
  SetExamples(*command, {"gprofhub open", "gprofhub open '#17'", "gprofhub open HEAD --base main"});
  command->callback([arguments, &run] { run = [arguments] { return RunOpen(*arguments); }; });
}

}  // namespace gprofhub::cli
