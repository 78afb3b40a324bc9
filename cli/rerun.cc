#include <CLI/CLI.hpp>
#include <cstdint>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "ci/upload/results/ci_systems.h"
#include "ci/upload/results/detect_run.h"
#include "cli/client/make_report.h"
#include "cli/client/output.h"
#include "cli/client/query_client.h"
#include "cli/commands.h"
#include "reporter/comparison/choose_reruns.h"

namespace gprofhub::cli {

namespace {

using Json = nlohmann::ordered_json;

struct RerunListArguments {
  ComparisonRequest comparison;
  std::string first;   // a run; or the base's folder, if there is a second one
  std::string second;  // the head's folder
  double budget_percent = 0;
  bool asked = false;
  std::string format = "text";
};

Json ListJson(const std::vector<v1::Rerun>& reruns) {
  Json list = Json::array();
  for (const v1::Rerun& rerun : reruns) {
    list.push_back({{"target", rerun.target()},
                    {"reason", rerun.reason()},
                    {"runs", rerun.runs()},
                    {"expected_seconds", rerun.expected_seconds()},
                    {"alarms", rerun.alarms()}});
  }
  return list;
}

std::string PlanJson(const reporter::RerunPlan& plan, const v1::Report& report,
                     const std::string& asked_by) {
  return JsonText(Json{{"schema", 1},
                       {"run_id", report.compared().head().run_id()},
                       {"asked_by", asked_by.empty() ? Json(nullptr) : Json(asked_by)},
                       {"test_seconds", report.compared().head_test_seconds()},
                       {"budget_seconds", plan.budget_seconds},
                       {"targets", ListJson(plan.chosen)},
                       {"left_out", ListJson(plan.left_out)}});
}

std::string Describe(const v1::Rerun& rerun) {
  return absl::StrCat(base::Printable(rerun.target()), ": ", rerun.runs(),
                      rerun.runs() == 1 ? " run of " : " runs of ",
                      absl::StrFormat("%.1f s", rerun.expected_seconds()), " would show ",
                      base::Printable(rerun.reason()));
}

// Labels alone go to stdout.
void ExplainOnStderr(const reporter::RerunPlan& plan) {
  for (const v1::Rerun& rerun : plan.chosen) std::cerr << Describe(rerun) << "\n";
  for (const v1::Rerun& rerun : plan.left_out) {
    std::cerr << "exceeds the budget of " << absl::StrFormat("%.1f s", plan.budget_seconds) << ": "
              << Describe(rerun) << "\n";
  }
}

// The commit that this CI job, or this checkout, is about.
absl::StatusOr<std::string> CommitHere() {
  ASSIGN_OR_RETURN(const ci::DetectedRun run, ci::DetectRun({}, ci::LocalSources(".")));
  return run.info.commit();
}

// The principal who requests the rerun, and the run. Without a run it is that of the current
// commit; for a run that the server does not know there is no request.
absl::StatusOr<v1::AskedRerun> WhoAsked(const RerunListArguments& arguments) {
  v1::GetAskedRerunRequest request;
  request.set_run(arguments.first);
  const bool here = arguments.first.empty();
  if (here) {
    ASSIGN_OR_RETURN(const std::string commit, CommitHere());
    request.set_run(commit);
  }
  absl::StatusOr<v1::AskedRerun> asked =
      QueryClient(arguments.comparison.server).Call(&QueryStub::GetAskedRerun, request);
  if (here && absl::IsNotFound(asked.status())) return v1::AskedRerun();
  return asked;
}

int RunRerunList(RerunListArguments arguments) {
  std::string asked_by;
  if (arguments.asked) {
    const absl::StatusOr<v1::AskedRerun> asked = WhoAsked(arguments);
    if (!asked.ok()) return ReportStatus(asked.status());
    asked_by = asked->author();
    if (asked_by.empty()) {
      std::cerr << "no rerun was requested\n";
      return arguments.format == "json" ? PrintOutput(PlanJson({}, {}, asked_by)) : PrintText("");
    }
    std::cerr << "requested by " << base::Printable(asked_by) << "\n";
    arguments.comparison.head = asked->run_id();
  }
  const absl::StatusOr<v1::Report> report = MakeReport(arguments.comparison);
  if (!report.ok()) return ReportStatus(report.status());
  const reporter::RerunPlan plan = reporter::PlanReruns(*report, arguments.budget_percent);
  if (arguments.format == "json") return PrintOutput(PlanJson(plan, *report, asked_by));
  ExplainOnStderr(plan);
  if (arguments.format == "bazel") return PrintOutput(BazelArguments(plan.chosen));
  std::string labels;
  for (const v1::Rerun& rerun : plan.chosen) {
    absl::StrAppend(&labels, base::Printable(rerun.target()), "\n");
  }
  return PrintOutput(labels);
}

}  // namespace

void AddRerunListCommand(CLI::App& app, CommandMain& run) {
  CLI::App* command =
      app.add_subcommand("rerun-list",
                         "List the tests of a run that more runs would make conclusive, one label "
                         "per line\nWith two folders no server is needed: they are BASE and HEAD "
                         "as for `gprofhub diff`. Exits with 0 also if the list is empty; stderr "
                         "has the reason for each test, and the tests that exceed the budget.");
  auto arguments = std::make_shared<RerunListArguments>();
  command->add_option("run", arguments->first,
                      "Run, as for `gprofhub report` (default: latest); or the folder of the base");
  CLI::Option* const head =
      command->add_option("head", arguments->second, "Folder of the head, after that of the base");
  command
      ->add_flag("--asked", arguments->asked,
                 "List tests only if someone commented `/gprofhub rerun` on the pull request and "
                 "no rerun was uploaded since (default run: that of the current commit)")
      ->excludes(head);
  command
      ->add_option("--base", arguments->comparison.base,
                   "Run to compare with (default: as for `gprofhub report`)")
      ->excludes(head);
  command
      ->add_option("--image", arguments->comparison.image,
                   "Program that wrote the local profiles, if it is not in their folder")
      ->check(CLI::ExistingFile)
      ->type_name("FILE")
      ->needs(head);
  command
      ->add_option("--budget-percent", arguments->budget_percent,
                   "Maximum time of the reruns, in percent of the time of the run's compared tests "
                   "(default: no limit)")
      ->check(CLI::Range(0.001, 10'000.0))
      ->type_name("PERCENT");
  command
      ->add_option("--format", arguments->format,
                   "Output format; bazel: arguments of `bazel test`, one per line")
      ->check(CLI::IsMember({"text", "bazel", "json"}))
      ->capture_default_str();
  AddServerOptions(*command, arguments->comparison.server);
  SetExamples(*command, {"gprofhub rerun-list", "gprofhub rerun-list 3fa41c2 --budget-percent 5",
                         "gprofhub rerun-list --asked --format=bazel",
                         "gprofhub rerun-list before/ after/ --format=json"});
  command->callback([arguments, &run] {
    if (arguments->second.empty()) {
      arguments->comparison.head = arguments->first.empty() ? "latest" : arguments->first;
    } else {
      arguments->comparison.base = arguments->first;
      arguments->comparison.head = arguments->second;
    }
    run = [arguments] { return RunRerunList(*arguments); };
  });
}

}  // namespace gprofhub::cli
