#include "reporter/queries/changes.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "reporter/history/events.h"
#include "reporter/queries/stored_history.h"

namespace gprofhub::reporter {
namespace {

constexpr uint32_t kMostRuns = 500;
constexpr uint32_t kRunsToListBranchesOf = 1000;

// Version byte of cached changes. Increment it when the same runs would yield other changes: then
// cached results of older programs are recomputed.
constexpr char kRules = 1;

absl::Status NoRuns(const store::Reading& reading, const store::RunFilter& filter) {
  store::RunFilter any;
  any.project = filter.project;
  any.mainline_only = true;
  any.counted_only = true;
  any.limit = kRunsToListBranchesOf;
  const absl::StatusOr<std::vector<store::RunRecord>> runs = reading.ListRuns(any);
  if (!runs.ok()) return runs.status();
  std::set<std::string> branches;
  for (const store::RunRecord& run : *runs) branches.insert(run.branch);
  if (branches.empty()) {
    return absl::NotFoundError(
        absl::StrCat("project \"", filter.project,
                     "\" has no runs of counted profiles outside pull requests yet; "
                     "`gprofhub upload` sends one"));
  }
  return absl::NotFoundError(
      absl::StrCat("branch: project \"", filter.project, "\" has no run of \"", filter.branch, "\"",
                   filter.configuration.empty()
                       ? ""
                       : absl::StrCat(" in configuration \"", filter.configuration, "\""),
                   "; there are runs of: ", absl::StrJoin(branches, ", ")));
}

// The runs that a request is about. Without a configuration, that of the newest run.
absl::StatusOr<store::RunFilter> FilterOf(const store::Reading& reading,
                                          const v1::GetChangesRequest& request) {
  if (request.runs() == 1 || request.runs() > kMostRuns) {
    return absl::InvalidArgumentError(absl::StrCat("runs: 2 to ", kMostRuns));
  }
  if (request.branch().empty()) return absl::InvalidArgumentError("branch: is empty");
  store::RunFilter filter =
      RunsOfHistory({request.project(), request.branch(), request.configuration()});
  if (filter.configuration.empty()) {
    filter.limit = 1;
    const absl::StatusOr<std::vector<store::RunHead>> newest = reading.ListRunHeads(filter);
    if (!newest.ok()) return newest.status();
    if (!newest->empty()) filter.configuration = newest->front().configuration;
  }
  filter.limit = request.runs() == 0 ? kDefaultChangeRuns : request.runs();
  return filter;
}

// Only the default query is cached.
bool IsOfKept(const v1::GetChangesRequest& request) {
  return request.target().empty() && !request.all() &&
         (request.runs() == 0 || request.runs() == kDefaultChangeRuns);
}

// Computes the response from all runs' points.
absl::StatusOr<v1::GetChangesResponse> Find(const store::Reading& reading, const BlobReader& blobs,
                                            const v1::GetChangesRequest& request,
                                            store::RunFilter filter) {
  filter.with_ancestors = true;
  const absl::StatusOr<std::vector<store::RunRecord>> runs = reading.ListRuns(filter);
  if (!runs.ok()) return runs.status();
  if (runs->empty()) return NoRuns(reading, filter);

  absl::StatusOr<StoredHistory> history =
      StoredHistory::Read(reading, blobs, *runs, request.target());
  if (!history.ok()) return history.status();
  if (history->targets().empty()) {
    return absl::NotFoundError(
        request.target().empty()
            ? absl::StrCat("branch: no run of \"", filter.branch, "\" is analysed yet")
            : absl::StrCat("target: no analysed run of \"", filter.branch, "\" has \"",
                           request.target(), "\""));
  }
  ChangeEventOptions options;
  options.all = request.all();
  absl::StatusOr<std::vector<v1::ChangeEvent>> events = FindChangeEvents(*history, options);
  if (!events.ok()) return events.status();
  v1::GetChangesResponse response;
  response.set_branch(filter.branch);
  response.set_configuration(filter.configuration);
  response.set_runs(static_cast<uint32_t>(runs->size()));
  for (v1::ChangeEvent& event : *events) *response.add_events() = std::move(event);
  return response;
}

// The cached response, if the runs are unchanged since it was computed.
absl::StatusOr<std::optional<v1::GetChangesResponse>> ReadKept(
    const store::Reading& reading, const store::BranchKey& branch,
    const std::vector<store::RunState>& runs) {
  const absl::StatusOr<std::optional<store::KeptChanges>> kept = reading.ReadKeptChanges(branch);
  if (!kept.ok()) return kept.status();
  if (!kept->has_value() || (*kept)->runs != runs || runs.empty()) return std::nullopt;
  const std::string& payload = (*kept)->payload;
  v1::GetChangesResponse response;
  if (payload.empty() || payload[0] != kRules ||
      !response.ParseFromArray(payload.data() + 1, static_cast<int>(payload.size() - 1))) {
    return std::nullopt;
  }
  return response;
}

}  // namespace

store::RunFilter RunsOfHistory(const store::BranchKey& branch) {
  store::RunFilter filter;
  filter.project = branch.project;
  filter.branch = branch.branch;
  filter.configuration = branch.configuration;
  filter.mainline_only = true;
  filter.counted_only = true;
  return filter;
}

absl::StatusOr<FoundChanges> FindChanges(const store::Reading& reading, const BlobReader& blobs,
                                         const v1::GetChangesRequest& request) {
  const absl::StatusOr<store::RunFilter> filter = FilterOf(reading, request);
  if (!filter.ok()) return filter.status();
  FoundChanges found;
  found.branch = {filter->project, filter->branch, filter->configuration};
  if (IsOfKept(request)) {
    // Read first: a concurrent analysis then makes the cached response stale.
    absl::StatusOr<std::vector<store::RunState>> runs = reading.ListRunStates(*filter);
    if (!runs.ok()) return runs.status();
    absl::StatusOr<std::optional<v1::GetChangesResponse>> kept =
        ReadKept(reading, found.branch, *runs);
    if (!kept.ok()) return kept.status();
    if (kept->has_value()) {
      found.response = **std::move(kept);
      return found;
    }
    found.to_keep.emplace().runs = *std::move(runs);
  }
  absl::StatusOr<v1::GetChangesResponse> response = Find(reading, blobs, request, *filter);
  if (!response.ok()) return response.status();
  found.response = *std::move(response);
  if (found.to_keep.has_value()) {
    found.to_keep->payload = kRules + found.response.SerializeAsString();
  }
  return found;
}

absl::StatusOr<v1::GetChangesResponse> GetChanges(const store::Reading& reading,
                                                  const BlobReader& blobs,
                                                  const v1::GetChangesRequest& request) {
  absl::StatusOr<FoundChanges> found = FindChanges(reading, blobs, request);
  if (!found.ok()) return found.status();
  LimitEvents(request.limit(), found->response);
  return std::move(found->response);
}

}  // namespace gprofhub::reporter
