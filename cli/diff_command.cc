#include "cli/diff_command.h"

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/local_profile.h"
#include "cli/query_client.h"
#include "cli/report_output.h"
#include "reporter/compare.h"

namespace gprofhub {
namespace {

struct DiffArguments {
  ServerOptions server;
  ReportOutputOptions output;
  std::string base;
  std::string head;
  std::string image;
};

absl::StatusOr<ComparisonSide> ReadSide(const std::string& path, const std::string& image) {
  absl::StatusOr<std::vector<ComputedProfile>> runs = ReadLocalRuns(path, image);
  if (!runs.ok()) return runs.status();
  ComparisonSide side;
  side.about.set_run_id(path);
  side.about.set_executions(static_cast<uint32_t>(runs->size()));
  side.targets.emplace("local", *std::move(runs));
  return side;
}

absl::StatusOr<v1::Report> CompareLocal(const DiffArguments& arguments) {
  const absl::StatusOr<ComparisonSide> base = ReadSide(arguments.base, arguments.image);
  if (!base.ok()) return base.status();
  const absl::StatusOr<ComparisonSide> head = ReadSide(arguments.head, arguments.image);
  if (!head.ok()) return head.status();
  v1::Report report = CompareRuns(*base, *head, CompareOptions());
  report.mutable_compared()->set_baseline_reason("given");
  LimitFindings(report, arguments.output.limit);
  return report;
}

absl::StatusOr<v1::Report> CompareAtServer(const DiffArguments& arguments) {
  v1::CompareRequest request;
  request.set_base(arguments.base);
  request.set_head(arguments.head);
  request.set_limit(arguments.output.limit);
  return QueryClient(arguments.server).Compare(request);
}

int RunDiff(const DiffArguments& arguments) {
  std::error_code error;
  const bool base_is_path = std::filesystem::exists(arguments.base, error);
  const bool head_is_path = std::filesystem::exists(arguments.head, error);
  if (base_is_path != head_is_path || (!base_is_path && !arguments.image.empty())) {
    const std::string& missing = base_is_path ? arguments.head : arguments.base;
    return ReportStatus(absl::NotFoundError(
        absl::StrCat(missing, " is no file or folder; give two local paths, or two runs")));
  }
  const absl::StatusOr<v1::Report> report =
      base_is_path ? CompareLocal(arguments) : CompareAtServer(arguments);
  if (!report.ok()) return ReportStatus(report.status());
  return PrintReport(*report, arguments.output, arguments.server.project);
}

}  // namespace

void AddDiffCommand(CLI::App& app, CommandMain& run) {
  CLI::App* command = app.add_subcommand(
      "diff",
      "Say what changed between two runs of the server, or between local profiles\n"
      "Where BASE and HEAD are existing paths, no server is needed: each is a profile, a folder "
      "with profiles and the program that wrote them, or a folder with one such folder per run.");
  auto arguments = std::make_shared<DiffArguments>();
  command->add_option("base", arguments->base, "Run id, commit, or local path")->required();
  command->add_option("head", arguments->head, "Run id, commit, or local path")->required();
  command
      ->add_option("--image", arguments->image,
                   "Program that wrote the local profiles, where it does not lie beside them")
      ->check(CLI::ExistingFile)
      ->type_name("FILE");
  AddReportOutputOptions(*command, arguments->output);
  AddServerOptions(*command, arguments->server);
  SetExamples(*command, {"gprofhub diff 3fa41c2 latest", "gprofhub diff 12 15 --format=json",
                         "gprofhub diff before/ after/ --format=markdown",
                         "gprofhub diff --image ./query_test before/gmon.out after/gmon.out"});
  command->callback([arguments, &run] { run = [arguments] { return RunDiff(*arguments); }; });
}

}  // namespace gprofhub
