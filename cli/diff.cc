#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/client/make_report.h"
#include "cli/commands.h"

namespace gprofhub::cli {

namespace {

struct DiffArguments {
  ServerOptions server;
  ReportOutputOptions output;
  std::string base;
  std::string head;
  std::string image;
};

int RunDiff(const DiffArguments& arguments) {
  const absl::StatusOr<v1::Report> report =
      MakeReport({arguments.server, arguments.base, arguments.head, arguments.image,
                  PrintsAllTimes(arguments.output)});
  if (!report.ok()) return ReportStatus(report.status());
  return PrintReport(*report, arguments.output, arguments.server.project);
}

}  // namespace

void AddDiffCommand(CLI::App& app, CommandMain& run) {
  CLI::App* command = app.add_subcommand(
      "diff",
      "Show what changed between two runs of the server, or between local profiles\nIf BASE and "
      "HEAD are existing paths, no server is needed: each is a profile, a folder with profiles and "
      "the program that wrote them, or a folder with one subfolder of that kind per run.");
  auto arguments = std::make_shared<DiffArguments>();
  command->add_option("base", arguments->base, "Run, as for `gprofhub report`, or local path")
      ->required();
  command->add_option("head", arguments->head, "Run, as for `gprofhub report`, or local path")
      ->required();
  command
      ->add_option("--image", arguments->image,
                   "Program that wrote the local profiles, if it is not in their folder")
      ->check(CLI::ExistingFile)
      ->type_name("FILE");
  AddReportOutputOptions(*command, arguments->output);
  AddServerOptions(*command, arguments->server);
  SetExamples(*command, {"gprofhub diff 3fa41c2 latest", "gprofhub diff 12 15 --format=json",
                         "gprofhub diff before/ after/ --format=markdown",
                         "gprofhub diff --image ./query_test before/gmon.out after/gmon.out"});
  command->callback([arguments, &run] { run = [arguments] { return RunDiff(*arguments); }; });
}

}  // namespace gprofhub::cli
