// `gprofhub admin main-branch`.
#include <CLI/CLI.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "cli/admin/time_options.h"

namespace gprofhub::cli {

namespace {

struct MainBranchArguments {
  server::StoreOptions store;
  std::string project;
  std::string branch;
  bool remove = false;
};

int MainBranch(const MainBranchArguments& arguments) {
  const absl::StatusOr<store::WholeStore> store = OpenNamed(arguments.store);
  if (!store.ok()) return ReportStatus(store.status());
  if (!arguments.branch.empty() || arguments.remove) {
    const absl::Status status =
        store->store.reports.SetMainBranch(arguments.project, store::MainBranchSource::kSetting,
                                           arguments.branch, LocalActor(), absl::Now());
    if (!status.ok()) return ReportStatus(status);
  }
  const absl::StatusOr<std::string> branch = store->store.reading.FindMainBranch(arguments.project);
  if (!branch.ok()) return ReportStatus(branch.status());
  if (branch->empty()) {
    return ReportStatus(absl::NotFoundError(
        absl::StrCat("project \"", arguments.project, "\" has no run of a main branch")));
  }
  if (!arguments.branch.empty() && *branch != arguments.branch) {
    Warn("the project's forge names another main branch, which has precedence");
  }
  return PrintOutput(absl::StrCat(*branch, "\n"));
}

}  // namespace

void AddMainBranchAction(CLI::App& admin, CommandMain& run) {
  const Action<MainBranchArguments> action =
      AddAction(admin, "main-branch",
                "Print the main branch of a project, or set it\nThe default branch of the "
                "project's forge has precedence. Without either, it is the branch of most runs.",
                run, MainBranch);
  AddProjectOption(*action.app, action.arguments->project, "Project");
  CLI::Option* const branch =
      action.app->add_option("branch", action.arguments->branch, "Name of the branch");
  action.app->add_flag("--remove", action.arguments->remove, "Remove the setting")
      ->excludes(branch);
  SetExamples(*action.app, {"gprofhub admin main-branch --project myproject",
                            "gprofhub admin main-branch --project myproject trunk",
                            "gprofhub admin main-branch --project myproject --remove"});
}

}  // namespace gprofhub::cli
