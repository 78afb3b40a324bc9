#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "cli/client/policy_file.h"
#include "cli/client/query_client.h"
#include "cli/commands.h"
#include "reporter/history/events.h"
#include "reporter/rendering/json.h"
#include "reporter/rendering/trend.h"

namespace gprofhub::cli {

namespace {

struct ChangesArguments {
  ServerOptions server;
  std::string folder;
  std::string image;
  std::string branch;
  std::string configuration;
  std::string target;
  uint32_t runs = 100;
  uint32_t limit = 0;  // 0: not given
  bool all = false;
  std::string format = "text";
};

// Default length of the list in text.
constexpr uint32_t kListed = 20;

// Maximum number of changes; 0: all.
uint32_t LimitOf(const ChangesArguments& arguments) {
  if (arguments.limit != 0) return arguments.limit;
  return arguments.all || arguments.format == "json" ? 0 : kListed;
}

absl::StatusOr<v1::GetChangesResponse> ChangesAtServer(const ChangesArguments& arguments) {
  v1::GetChangesRequest request;
  request.set_branch(arguments.branch);
  request.set_configuration(arguments.configuration);
  request.set_target(arguments.target);
  request.set_runs(arguments.runs);
  request.set_limit(LimitOf(arguments));
  request.set_all(arguments.all);
  return QueryClient(arguments.server).Call(&QueryStub::GetChanges, request);
}

absl::StatusOr<v1::GetChangesResponse> LocalChanges(const ChangesArguments& arguments) {
  ASSIGN_OR_RETURN(LocalHistory history,
                   LocalHistory::Read(arguments.folder, arguments.image, arguments.runs));
  reporter::ChangeEventOptions options;
  options.all = arguments.all;
  ASSIGN_OR_RETURN(std::vector<v1::ChangeEvent> events,
                   reporter::FindChangeEvents(history, options));
  v1::GetChangesResponse response;
  response.set_runs(static_cast<uint32_t>(history.releases().size()));
  for (v1::ChangeEvent& event : events) *response.add_events() = std::move(event);
  reporter::LimitEvents(LimitOf(arguments), response);
  return response;
}

int RunChanges(const ChangesArguments& arguments) {
  const absl::StatusOr<v1::GetChangesResponse> changes =
      arguments.folder.empty() ? ChangesAtServer(arguments) : LocalChanges(arguments);
  if (!changes.ok()) return ReportStatus(changes.status());
  return arguments.format == "json" ? PrintOutput(reporter::RenderJson(*changes))
                                    : PrintText(reporter::RenderChangesText(*changes));
}

}  // namespace

void AddChangesCommand(CLI::App& app, CommandMain& run) {
  CLI::App* command = app.add_subcommand(
      "changes",
      "Find lasting changes of counts and times and their causes\nWithout FOLDER, on a branch of "
      "the server. With FOLDER no server is needed: it has one subfolder per release, ordered by "
      "name, each as `gprofhub diff` takes it.");
  auto arguments = std::make_shared<ChangesArguments>();
  CLI::Option* const folder = command->add_option("folder", arguments->folder,
                                                  "Local folder with one subfolder per release");
  CLI::Option* const branch =
      command->add_option("--branch", arguments->branch,
                          "Branch to search, without pull requests (default: "
                          "the project's main branch)");
  CLI::Option* const configuration =
      command->add_option("--configuration", arguments->configuration,
                          "Only runs of this configuration (default: that of the newest run)");
  CLI::Option* const target =
      command->add_option("--target", arguments->target, "Only this target (default: all)");
  for (CLI::Option* const option : {branch, configuration, target}) option->excludes(folder);
  command
      ->add_option("--image", arguments->image,
                   "Program that wrote the local profiles, if it is not in their folder")
      ->check(CLI::ExistingFile)
      ->type_name("FILE")
      ->needs(folder);
  command->add_option("--runs", arguments->runs, "Number of newest runs to search")
      ->check(CLI::Range(2u, 500u))
      ->capture_default_str();
  command
      ->add_option("--limit", arguments->limit,
                   absl::StrCat("At most this many changes, the newest (default: ", kListed,
                                " in the text, all in JSON)"))
      ->check(CLI::Range(1u, 1'000'000u));
  command->add_flag("--all", arguments->all,
                    "List every change, including places to which cost only moved");
  command->add_option("--format", arguments->format, "Output format")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  AddServerOptions(*command, arguments->server);
  SetExamples(*command, {"gprofhub changes", "gprofhub changes --limit 5",
                         "gprofhub changes --target //db:query_test --runs 30 --all",
                         "gprofhub changes --branch release-2 --format=json",
                         "gprofhub changes releases/ --all"});
  command->callback([arguments, &run] { run = [arguments] { return RunChanges(*arguments); }; });
}

}  // namespace gprofhub::cli
