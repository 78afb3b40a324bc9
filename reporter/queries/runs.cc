#include "reporter/queries/runs.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "reporter/queries/find_run.h"
#include "store/records/records.h"

namespace gprofhub::reporter {
namespace {

constexpr uint32_t kDefaultRuns = 50;
constexpr uint32_t kMostRuns = 1000;

v1::Target::State StateOf(store::TargetState state) {
  switch (state) {
    case store::TargetState::kPending:
      return v1::Target::PENDING;
    case store::TargetState::kAnalyzed:
      return v1::Target::ANALYZED;
    case store::TargetState::kFailed:
      return v1::Target::FAILED;
  }
  return v1::Target::STATE_UNSPECIFIED;
}

v1::ProfileKind KindOf(store::ProfileKind kind) {
  switch (kind) {
    case store::ProfileKind::kCounted:
      return v1::COUNTED;
    case store::ProfileKind::kSampled:
      return v1::SAMPLED;
    case store::ProfileKind::kWindow:
      return v1::WINDOW;
  }
  return v1::COUNTED;
}

void SetCounts(const store::TargetCounts& counts, v1::Run& run) {
  run.set_jobs_pending(counts.pending);
  run.set_jobs_done(counts.analyzed);
  run.set_jobs_failed(counts.failed);
}

v1::Run DescribeRun(const store::RunRecord& run) {
  v1::Run described;
  described.set_run_id(absl::StrCat(run.id));
  v1::RunInfo& info = *described.mutable_info();
  info.set_project(run.project);
  info.set_run_key(run.run_key);
  info.set_commit(run.commit);
  info.set_branch(run.branch);
  info.set_base_commit(run.base_commit);
  info.set_pull_request(run.pull_request);
  info.set_ci_link(run.ci_link);
  info.set_configuration(run.configuration);
  info.set_machine(run.machine);
  info.set_profile_kind(KindOf(run.profile_kind));
  info.set_started_unix_ms(absl::ToUnixMillis(run.started));
  info.set_from_fork(run.from_fork);
  info.set_commit_unix_ms(absl::ToUnixMillis(run.committed));
  described.set_received_unix_ms(absl::ToUnixMillis(run.received));
  return described;
}

enum class WhichTargets { kAll, kFailed };

// The run's targets, and their number by state.
absl::Status AddTargets(const store::Reading& reading, int64_t run_id, WhichTargets which,
                        v1::Run& run) {
  const absl::StatusOr<std::vector<store::TargetRecord>> targets = reading.ListTargets(run_id);
  if (!targets.ok()) return targets.status();
  store::TargetCounts counts;
  for (const store::TargetRecord& record : *targets) {
    const v1::Target::State state = StateOf(record.state);
    counts.pending += state == v1::Target::PENDING ? 1 : 0;
    counts.analyzed += state == v1::Target::ANALYZED ? 1 : 0;
    counts.failed += state == v1::Target::FAILED ? 1 : 0;
    if (which == WhichTargets::kFailed && state != v1::Target::FAILED) continue;
    v1::Target& target = *run.add_targets();
    target.set_label(record.label);
    target.set_state(state);
    target.set_error(record.error);
    target.set_executions(record.executions);
    target.set_profiles(record.profiles);
    target.set_cached(record.cached);
  }
  SetCounts(counts, run);
  return absl::OkStatus();
}

// Adds the executions to the run's targets, by label.
absl::Status AddExecutions(const store::Reading& reading, int64_t run_id, v1::Run& run) {
  const absl::StatusOr<std::vector<store::ExecutionRecord>> executions =
      reading.ListExecutions(run_id);
  if (!executions.ok()) return executions.status();
  std::map<absl::string_view, v1::Target*> targets;
  for (v1::Target& target : *run.mutable_targets()) targets.emplace(target.label(), &target);
  for (const store::ExecutionRecord& record : *executions) {
    const auto target = targets.find(record.target);
    // It was inserted after the targets were listed.
    if (target == targets.end()) continue;
    v1::Execution& execution = *target->second->add_execution_list();
    execution.set_run_number(record.run_number);
    execution.set_shard(record.shard);
    execution.set_attempt(record.attempt);
    execution.set_status(record.status);
    execution.set_cached(record.cached);
    execution.set_duration_ms(record.duration_ms);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<v1::ListRunsResponse> ListRuns(const store::Reading& reading,
                                              const v1::ListRunsRequest& request) {
  if (request.limit() > kMostRuns) {
    return absl::InvalidArgumentError(absl::StrCat("limit: at most ", kMostRuns));
  }
  if (!request.commit().empty() && !LooksLikeCommit(request.commit())) {
    return absl::InvalidArgumentError("commit: at least 7 lower-case hexadecimal digits");
  }
  store::RunFilter filter;
  filter.project = request.project();
  filter.branch = request.branch();
  filter.commit = request.commit();
  filter.pull_request = request.pull_request();
  filter.windows_only = request.windows();
  filter.limit = request.limit() == 0 ? kDefaultRuns : request.limit();
  absl::StatusOr<std::vector<store::RunRecord>> runs = reading.ListRuns(filter);
  if (!runs.ok()) return runs.status();
  std::vector<int64_t> ids;
  for (const store::RunRecord& run : *runs) ids.push_back(run.id);
  const absl::StatusOr<std::vector<store::TargetCounts>> counts = reading.CountTargets(ids);
  if (!counts.ok()) return counts.status();
  std::map<int64_t, store::TargetCounts> by_run;
  for (const store::TargetCounts& count : *counts) by_run[count.run_id] = count;
  v1::ListRunsResponse response;
  for (const store::RunRecord& run : *runs) {
    v1::Run& described = *response.add_runs();
    described = DescribeRun(run);
    const store::TargetCounts& count = by_run[run.id];
    if (!request.with_targets() && count.failed == 0) {
      SetCounts(count, described);
      continue;
    }
    absl::Status added =
        AddTargets(reading, run.id,
                   request.with_targets() ? WhichTargets::kAll : WhichTargets::kFailed, described);
    if (!added.ok()) return added;
  }
  return response;
}

absl::StatusOr<v1::Run> GetRun(const store::Reading& reading, const v1::GetRunRequest& request) {
  absl::StatusOr<store::RunRecord> run = FindRun(reading, request.project(), request.run());
  if (!run.ok()) return run.status();
  v1::Run described = DescribeRun(*run);
  absl::Status added = AddTargets(reading, run->id, WhichTargets::kAll, described);
  if (!added.ok()) return added;
  if (request.with_executions()) added = AddExecutions(reading, run->id, described);
  if (!added.ok()) return added;
  return described;
}

absl::StatusOr<v1::GetProfileResponse> GetProfile(const store::Reading& reading,
                                                  const BlobReader& blobs,
                                                  const v1::GetProfileRequest& request) {
  absl::StatusOr<store::RunRecord> run = FindRun(reading, request.project(), request.run());
  if (!run.ok()) return run.status();
  absl::StatusOr<store::TargetRecord> target = FindTarget(reading, *run, request.target());
  if (!target.ok()) return target.status();
  if (target->computed.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(target->label, " of run ", run->id,
                                                      target->state == store::TargetState::kFailed
                                                          ? absl::StrCat(" failed: ", target->error)
                                                          : " is not analysed yet"));
  }
  absl::StatusOr<std::string> computed = blobs.Read(target->computed);
  if (!computed.ok()) return computed.status();
  v1::GetProfileResponse response;
  response.set_run_id(absl::StrCat(run->id));
  response.set_target(target->label);
  response.set_computed(*std::move(computed));
  return response;
}

}  // namespace gprofhub::reporter
