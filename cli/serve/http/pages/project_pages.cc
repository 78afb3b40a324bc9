#include "cli/serve/http/pages/project_pages.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "base/public_message.h"
#include "cli/serve/http/pages/account_pages.h"
#include "page/views/project.h"
#include "page/views/runs.h"
#include "page/views/service.h"
#include "reporter/queries/changes.h"
#include "reporter/queries/follow_ups.h"
#include "reporter/queries/gate.h"
#include "reporter/queries/runs.h"

namespace gprofhub::cli {
namespace {

constexpr uint32_t kListedProjects = 1000;
constexpr uint32_t kLatestRuns = 30;
constexpr uint32_t kListedRuns = 200;

absl::StatusOr<v1::GetChangesResponse> ReadChanges(const PageCall& call,
                                                   const std::string& branch) {
  v1::GetChangesRequest request;
  request.set_project(call.context.project);
  request.set_branch(branch);
  absl::StatusOr<v1::GetChangesResponse> changes =
      reporter::GetChanges(call.store().reading, call.store().blobs, request);
  if (!changes.ok()) return changes;
  absl::Status status = reporter::AddCulprits(call.store().reading, call.store().gate,
                                              call.context.project, *changes);
  if (!status.ok()) return status;
  return changes;
}

// The branch of the newest run without a pull request; "main" without such a run.
std::string MainBranch(const PageCall& call) {
  store::RunFilter filter;
  filter.project = call.context.project;
  filter.mainline_only = true;
  filter.limit = 1;
  const absl::StatusOr<std::vector<store::RunRecord>> runs = call.store().reading.ListRuns(filter);
  return runs.ok() && !runs->empty() ? runs->front().branch : "main";
}

}  // namespace

absl::StatusOr<PageAnswer> ProjectsPage(PageCall& call) {
  const absl::StatusOr<std::vector<std::string>> all =
      call.store().reading.ListProjects(kListedProjects);
  if (!all.ok()) return all.status();
  const std::vector<std::string> readable = call.visits.Readable(call.visitor, *all);
  if (readable.empty() && !call.visitor.caller.has_value()) return LoginForm(call, "", "/");
  std::vector<page::ProjectSummary> projects;
  for (const std::string& project : readable) {
    v1::ListRunsRequest request;
    request.set_project(project);
    request.set_limit(1);
    const absl::StatusOr<v1::ListRunsResponse> runs =
        reporter::ListRuns(call.store().reading, request);
    if (!runs.ok()) return runs.status();
    projects.push_back({project, {runs->runs().begin(), runs->runs().end()}});
  }
  return Show(call, {"Projects"}, page::ProjectsView(projects));
}

absl::StatusOr<PageAnswer> ProjectPage(PageCall& call) {
  v1::ListRunsRequest request;
  request.set_project(call.context.project);
  request.set_limit(kLatestRuns);
  const absl::StatusOr<v1::ListRunsResponse> runs =
      reporter::ListRuns(call.store().reading, request);
  if (!runs.ok()) return runs.status();
  const absl::StatusOr<v1::GetChangesResponse> changes = ReadChanges(call, MainBranch(call));
  return Show(call, {call.context.project, "project"},
              page::ProjectView(call.context, {runs->runs().begin(), runs->runs().end()},
                                changes.ok() ? *changes : v1::GetChangesResponse(),
                                changes.ok() ? "" : base::PublicMessageOf(changes.status())));
}

absl::StatusOr<PageAnswer> RunsPage(PageCall& call) {
  v1::ListRunsRequest request;
  request.set_project(call.context.project);
  request.set_branch(call.request.Query("branch"));
  request.set_pull_request(call.request.Query("pull_request"));
  request.set_commit(call.request.Query("commit"));
  request.set_limit(kListedRuns);
  const absl::StatusOr<v1::ListRunsResponse> runs =
      reporter::ListRuns(call.store().reading, request);
  if (!runs.ok()) return runs.status();
  return Show(call, {"Runs", "runs"},
              page::RunsView(call.context, {runs->runs().begin(), runs->runs().end()},
                             {request.branch(), request.pull_request(), request.commit()}));
}

absl::StatusOr<PageAnswer> RunPage(PageCall& call) {
  v1::GetRunRequest request;
  request.set_project(call.context.project);
  request.set_run(call.request.path[3]);
  request.set_with_executions(true);
  absl::StatusOr<v1::Run> run = reporter::GetRun(call.store().reading, request);
  if (!run.ok()) return run.status();
  int64_t run_id = 0;
  if (!absl::SimpleAtoi(run->run_id(), &run_id)) return absl::InternalError("a run has no number");
  absl::StatusOr<std::vector<store::KeptLog>> logs = call.store().invocations.ListLogs(run_id);
  if (!logs.ok()) return logs.status();
  const page::RunShown shown = {*std::move(run), *std::move(logs)};
  return Show(call, {page::RunTitle(shown.run), "runs"}, page::RunView(call.context, shown));
}

absl::StatusOr<PageAnswer> ChangesPage(PageCall& call) {
  const std::string& asked = call.request.Query("branch");
  const absl::StatusOr<v1::GetChangesResponse> changes =
      ReadChanges(call, asked.empty() ? MainBranch(call) : asked);
  if (!changes.ok()) return changes.status();
  return Show(call, {"Changes", "changes"}, page::ChangesView(call.context, *changes));
}

absl::StatusOr<PageAnswer> GatePage(PageCall& call) {
  v1::GetGateStatsRequest stats_request;
  stats_request.set_project(call.context.project);
  const absl::StatusOr<v1::GetGateStatsResponse> stats =
      reporter::GetGateStats(call.store().reading, call.store().gate, stats_request);
  if (!stats.ok()) return stats.status();
  v1::ListAcknowledgementsRequest said_request;
  said_request.set_project(call.context.project);
  const absl::StatusOr<v1::ListAcknowledgementsResponse> said =
      reporter::ListAcknowledgements(call.store().gate, said_request);
  if (!said.ok()) return said.status();
  return Show(call, {"Gate", "gate"}, page::GateView(call.context, *stats, *said));
}

}  // namespace gprofhub::cli
