#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "cli/admin/command.h"
#include "cli/admin/local_actor.h"
#include "cli/serve/store_location.h"
#include "store/open_store.h"

namespace gprofhub::cli {
namespace {

struct AdminArguments {
  StoreOptions store;
  std::string project;
  std::vector<int64_t> runs;
  std::string branch;
  bool yes = false;
};

absl::StatusOr<store::Store> OpenNamed(const StoreOptions& options) {
  const absl::StatusOr<std::string> location = StoreLocation(options);
  if (!location.ok()) return location.status();
  return store::OpenStore(*location);
}

// One transaction a run: each is gone or there, and others wait for one run at most.
absl::Status DeleteRuns(const store::Store& store, const std::string& project,
                        const std::vector<int64_t>& runs) {
  for (const int64_t run : runs) {
    absl::Status status = store.removal.DeleteRun(project, run, LocalActor(), absl::Now());
    if (!status.ok()) return status;
    PrintOutput(absl::StrCat("deleted run ", run, "\n"));
  }
  return absl::OkStatus();
}

int DeleteNamedRuns(const AdminArguments& arguments) {
  const absl::StatusOr<store::Store> store = OpenNamed(arguments.store);
  if (!store.ok()) return ReportStatus(store.status());
  return ReportStatus(DeleteRuns(*store, arguments.project, arguments.runs));
}

int DeleteBranch(const AdminArguments& arguments) {
  const absl::StatusOr<store::Store> store = OpenNamed(arguments.store);
  if (!store.ok()) return ReportStatus(store.status());
  const absl::StatusOr<std::vector<int64_t>> runs =
      store->removal.RunsOfBranch(arguments.project, arguments.branch);
  if (!runs.ok()) return ReportStatus(runs.status());
  if (runs->empty()) {
    return ReportStatus(absl::NotFoundError(absl::StrCat(
        "project \"", arguments.project, "\" has no run of branch \"", arguments.branch, "\"")));
  }
  if (!arguments.yes) {
    return PrintOutput(absl::StrCat("would delete ", runs->size(), " runs of branch ",
                                    arguments.branch, "; --yes does\n"));
  }
  return ReportStatus(DeleteRuns(*store, arguments.project, *runs));
}

using AdminMain = int (*)(const AdminArguments&);

struct AdminAction {
  CLI::App* app;
  // Its own: CLI11 reads the environment for every action, chosen or not.
  std::shared_ptr<AdminArguments> arguments = std::make_shared<AdminArguments>();
};

AdminAction AddAction(CLI::App& admin, const std::string& name, const std::string& description,
                      CommandMain& run, AdminMain main) {
  const AdminAction action = {admin.add_subcommand(name, description)};
  AddStoreOptions(*action.app, action.arguments->store);
  AddProjectOption(*action.app, action.arguments->project, "Project that the runs belong to");
  action.app->callback([arguments = action.arguments, &run, main] {
    run = [arguments, main] { return main(*arguments); };
  });
  return action;
}

}  // namespace

void AddAdminCommand(CLI::App& app, CommandMain& run) {
  CLI::App* admin = app.add_subcommand("admin", "Delete runs; works on the store itself");
  admin->require_subcommand(1);

  const AdminAction delete_run = AddAction(
      *admin, "delete-run", "Delete runs with all that belongs to them", run, DeleteNamedRuns);
  delete_run.app
      ->add_option("runs", delete_run.arguments->runs,
                   "The runs' numbers, as `gprofhub runs` prints them")
      ->required();
  SetExamples(*delete_run.app, {"gprofhub admin delete-run 17",
                                "gprofhub admin delete-run --project myproject 17 18"});

  const AdminAction delete_branch =
      AddAction(*admin, "delete-branch", "Delete all runs of a branch, its pull requests' too", run,
                DeleteBranch);
  delete_branch.app->add_option("branch", delete_branch.arguments->branch, "The branch")
      ->required();
  delete_branch.app->add_flag("--yes", delete_branch.arguments->yes,
                              "Delete them; otherwise only say how many they are");
  SetExamples(*delete_branch.app, {"gprofhub admin delete-branch feature",
                                   "gprofhub admin delete-branch feature --yes"});

  SetExamples(*admin,
              {"gprofhub admin delete-run 17", "gprofhub admin delete-branch feature --yes"});
}

}  // namespace gprofhub::cli
