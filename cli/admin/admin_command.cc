#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/status_macros.h"
#include "cli/admin/admin.h"
#include "cli/admin/time_options.h"
#include "reporter/rendering/row_words.h"

namespace gprofhub::cli {

namespace {

using reporter::CountOfNoun;

struct AdminArguments {
  server::StoreOptions store;
  std::string project;
  std::vector<int64_t> runs;
  std::string branch;
  bool yes = false;
};

// One transaction a run: each is deleted atomically, and others wait for one run at most.
absl::Status DeleteRuns(const store::Store& store, const std::string& project,
                        const std::vector<int64_t>& runs) {
  for (const int64_t run : runs) {
    RETURN_IF_ERROR(store.removal.DeleteRun(project, run, LocalActor(), absl::Now()));
    PrintOutput(absl::StrCat("deleted run ", run, "\n"));
  }
  return absl::OkStatus();
}

int DeleteNamedRuns(const AdminArguments& arguments) {
  const absl::StatusOr<store::WholeStore> store = OpenNamed(arguments.store);
  if (!store.ok()) return ReportStatus(store.status());
  return ReportStatus(DeleteRuns(store->store, arguments.project, arguments.runs));
}

int DeleteBranch(const AdminArguments& arguments) {
  const absl::StatusOr<store::WholeStore> store = OpenNamed(arguments.store);
  if (!store.ok()) return ReportStatus(store.status());
  const absl::StatusOr<std::vector<int64_t>> runs =
      store->store.removal.RunsOfBranch(arguments.project, arguments.branch);
  if (!runs.ok()) return ReportStatus(runs.status());
  if (runs->empty()) {
    return ReportStatus(absl::NotFoundError(absl::StrCat(
        "project \"", arguments.project, "\" has no runs of branch \"", arguments.branch, "\"")));
  }
  if (!arguments.yes) {
    return PrintOutput(absl::StrCat("would delete ", CountOfNoun(runs->size(), "run"),
                                    " of branch ", arguments.branch,
                                    "; pass --yes to delete them\n"));
  }
  return ReportStatus(DeleteRuns(store->store, arguments.project, *runs));
}

int DeleteProject(const AdminArguments& arguments) {
  const absl::StatusOr<store::WholeStore> store = OpenNamed(arguments.store);
  if (!store.ok()) return ReportStatus(store.status());
  const absl::StatusOr<std::vector<int64_t>> runs =
      store->store.removal.RunsOfProject(arguments.project);
  if (!runs.ok()) return ReportStatus(runs.status());
  if (!arguments.yes) {
    return PrintOutput(absl::StrCat(
        "would delete ", CountOfNoun(runs->size(), "run"), " of project ", arguments.project,
        ", with all its other data, and revoke its tokens; pass --yes to delete it\n"));
  }
  if (const int deleted = ReportStatus(DeleteRuns(store->store, arguments.project, *runs));
      deleted != kExitOk) {
    return deleted;
  }
  const absl::Status rest =
      store->store.removal.DeleteRestOfProject(arguments.project, LocalActor(), absl::Now());
  if (!rest.ok()) return ReportStatus(rest);
  return PrintOutput(absl::StrCat("deleted project ", arguments.project, "\n"));
}

// An action on what belongs to a project.
Action<AdminArguments> AddDeletion(CLI::App& admin, const std::string& name,
                                   const std::string& description, CommandMain& run,
                                   int (*main)(const AdminArguments&)) {
  const Action<AdminArguments> action = AddAction(admin, name, description, run, main);
  AddProjectOption(*action.app, action.arguments->project, "Project of the runs");
  return action;
}

}  // namespace

void AddAdminCommand(CLI::App& app, CommandMain& run) {
  CLI::App* admin = app.add_subcommand("admin", "Maintain the store; accesses the store directly");
  admin->require_subcommand(1);

  const Action<AdminArguments> delete_run =
      AddDeletion(*admin, "delete-run", "Delete runs and all their data", run, DeleteNamedRuns);
  delete_run.app
      ->add_option("runs", delete_run.arguments->runs, "Run ids, as printed by `gprofhub runs`")
      ->required();
  SetExamples(*delete_run.app, {"gprofhub admin delete-run 17",
                                "gprofhub admin delete-run --project myproject 17 18"});

  const Action<AdminArguments> delete_branch = AddDeletion(
      *admin, "delete-branch", "Delete all runs of a branch, including those of its pull requests",
      run, DeleteBranch);
  delete_branch.app->add_option("branch", delete_branch.arguments->branch, "Name of the branch")
      ->required();
  delete_branch.app->add_flag("--yes", delete_branch.arguments->yes,
                              "Delete the runs; without this flag only print their number");
  SetExamples(*delete_branch.app, {"gprofhub admin delete-branch feature",
                                   "gprofhub admin delete-branch feature --yes"});

  const Action<AdminArguments> delete_project =
      AddAction(*admin, "delete-project",
                "Delete a project and all its data, and revoke its tokens", run, DeleteProject);
  delete_project.app
      ->add_option("project", delete_project.arguments->project, "Name of the project")
      ->required();
  delete_project.app->add_flag(
      "--yes", delete_project.arguments->yes,
      "Delete the project; without this flag only print what would be deleted");
  SetExamples(*delete_project.app, {"gprofhub admin delete-project myproject",
                                    "gprofhub admin delete-project myproject --yes"});

  AddLetterActions(*admin, run);
  AddAcknowledgementActions(*admin, run);
  AddInspectionActions(*admin, run);
  AddDeltaEncodeAction(*admin, run);
  AddArchiveAction(*admin, run);
  AddBackupActions(*admin, run);
  AddRetentionActions(*admin, run);
  AddPinActions(*admin, run);
  AddMainBranchAction(*admin, run);

  SetExamples(*admin, {"gprofhub admin backup /backups/today.db", "gprofhub admin fsck",
                       "gprofhub admin requeue --all", "gprofhub admin delete-run 17"});
}

}  // namespace gprofhub::cli
