#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "cli/client/make_report.h"
#include "cli/command/terminal.h"
#include "cli/commands.h"
#include "reporter/rendering/cause_words.h"
#include "reporter/rendering/json.h"

namespace gprofhub::cli {

namespace {

struct ExplainArguments {
  ServerOptions server;
  std::string finding;
  std::vector<std::string> sides;  // the run; or base and head
  std::string base;
  std::string image;
  std::string format = "text";
};

ComparisonRequest RequestOf(const ExplainArguments& arguments) {
  ComparisonRequest request;
  request.server = arguments.server;
  request.image = arguments.image;
  request.base = arguments.sides.size() == 2 ? arguments.sides[0] : arguments.base;
  request.head = arguments.sides.empty() ? "latest" : arguments.sides.back();
  return request;
}

int RunExplain(const ExplainArguments& arguments) {
  const absl::StatusOr<v1::Explanation> explanation =
      ExplainFinding(RequestOf(arguments), arguments.finding);
  if (!explanation.ok()) return ReportStatus(explanation.status());
  if (arguments.format == "json") return PrintOutput(reporter::RenderJson(*explanation));
  return PrintText(reporter::RenderExplanationText(*explanation, StdoutHasColor()));
}

}  // namespace

namespace {

// Adds all options but --format, and the action.
std::shared_ptr<ExplainArguments> AddFindingCommand(CLI::App* command, CommandMain& run) {
  auto arguments = std::make_shared<ExplainArguments>();
  command->add_option("finding", arguments->finding, "Id of the finding, or a prefix of it")
      ->required();
  command
      ->add_option("run", arguments->sides,
                   "Run, as for `gprofhub report` (default: latest); or base and head, as two of "
                   "these or two local paths")
      ->type_name("[RUN | BASE HEAD]")
      ->expected(0, 2);
  auto* base = command->add_option("--base", arguments->base,
                                   "Run or local path to compare RUN with (default: the "
                                   "run of the merge base, else of its nearest ancestor)");
  command
      ->add_option("--image", arguments->image,
                   "Program that wrote the local profiles, if it is not in their folder")
      ->check(CLI::ExistingFile)
      ->type_name("FILE");
  AddServerOptions(*command, arguments->server);
  command->callback([arguments, base, &run] {
    if (arguments->sides.size() == 2 && base->count() > 0) {
      throw CLI::ValidationError("--base", "the base is given twice");
    }
    run = [arguments] { return RunExplain(*arguments); };
  });
  return arguments;
}

}  // namespace

void AddExplainCommand(CLI::App& app, CommandMain& run) {
  CLI::App* command =
      app.add_subcommand("explain",
                         "Show how base and head reach a finding's function, side by "
                         "side\n`gprofhub report`, `diff` and `check` print the id of each "
                         "finding. If BASE and HEAD are existing paths, no server is needed.");
  const auto arguments = AddFindingCommand(command, run);
  command->add_option("--format", arguments->format, "Output format")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  SetExamples(*command, {"gprofhub explain a2edb2b79c", "gprofhub explain a2edb2 3fa41c2",
                         "gprofhub explain a2edb2b79c before/ after/",
                         "gprofhub explain a2edb2b79c --format=json"});
}

void AddGetCommand(CLI::App& app, CommandMain& run) {
  CLI::App* command = app.add_subcommand(
      "get",
      "Print a finding as JSON, for `gprofhub verify` and other tools\nThe same as `gprofhub "
      "explain --format=json`. If BASE and HEAD are existing paths, no server is needed.");
  AddFindingCommand(command, run)->format = "json";
  SetExamples(*command, {"gprofhub get a2edb2b79c > finding.json",
                         "gprofhub get a2edb2b79c before/ after/ > finding.json"});
}

}  // namespace gprofhub::cli
