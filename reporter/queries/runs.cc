#include "reporter/queries/runs.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "profile/codec/computed.h"
#include "profile/codec/series.h"
#include "reporter/history/trend.h"

namespace gprofhub::reporter {
namespace {

constexpr uint32_t kDefaultRuns = 50;
constexpr uint32_t kMostRuns = 1000;
constexpr uint32_t kDefaultTrendRuns = 100;
constexpr uint32_t kMostTrendRuns = 10000;
// A function that the newest run lost may still be found in one of these.
constexpr size_t kRunsToResolveIn = 5;
constexpr size_t kShortestCommit = 7;
constexpr size_t kTargetsListed = 20;

bool LooksLikeCommit(absl::string_view text) {
  return text.size() >= kShortestCommit && text.size() <= 64 &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return absl::ascii_isdigit(c) || (c >= 'a' && c <= 'f'); });
}

std::string TargetList(const std::vector<store::TargetRecord>& targets) {
  std::string list;
  for (size_t i = 0; i < targets.size() && i < kTargetsListed; ++i) {
    absl::StrAppend(&list, "\n  ", targets[i].label);
  }
  if (targets.size() > kTargetsListed) {
    absl::StrAppend(&list, "\n  … and ", targets.size() - kTargetsListed, " more");
  }
  return list;
}

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

absl::StatusOr<v1::Run> DescribeRun(const store::Reading& reading, const store::RunRecord& run) {
  absl::StatusOr<std::vector<store::TargetRecord>> targets = reading.ListTargets(run.id);
  if (!targets.ok()) return targets.status();
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
  info.set_profile_kind(run.profile_kind == store::ProfileKind::kSampled ? v1::SAMPLED
                                                                         : v1::COUNTED);
  info.set_started_unix_ms(absl::ToUnixMillis(run.started));
  info.set_from_fork(run.from_fork);
  info.set_commit_unix_ms(absl::ToUnixMillis(run.committed));
  described.set_received_unix_ms(absl::ToUnixMillis(run.received));
  for (const store::TargetRecord& record : *targets) {
    v1::Target& target = *described.add_targets();
    target.set_label(record.label);
    target.set_state(StateOf(record.state));
    target.set_error(record.error);
    target.set_executions(record.executions);
    target.set_profiles(record.profiles);
    target.set_cached(record.cached);
    switch (record.state) {
      case store::TargetState::kPending:
        described.set_jobs_pending(described.jobs_pending() + 1);
        break;
      case store::TargetState::kAnalyzed:
        described.set_jobs_done(described.jobs_done() + 1);
        break;
      case store::TargetState::kFailed:
        described.set_jobs_failed(described.jobs_failed() + 1);
        break;
    }
  }
  return described;
}

// The segments that may hold the function, of every analysed run.
absl::Status ReadSegments(const store::Reading& reading, const std::vector<store::RunRecord>& runs,
                          absl::string_view target, const SeriesIdentity& function,
                          SegmentsByRun& segments) {
  std::vector<int64_t> ids;
  for (const store::RunRecord& run : runs) ids.push_back(run.id);
  std::set<uint32_t> buckets;
  for (const uint64_t hash : function.hashes) buckets.insert(profile::SeriesBucket(hash));
  for (const uint32_t bucket : buckets) {
    absl::StatusOr<std::vector<store::PointSegment>> packed =
        reading.ReadSegments(ids, target, bucket);
    if (!packed.ok()) return packed.status();
    for (const store::PointSegment& segment : *packed) {
      absl::StatusOr<profile::SeriesSegment> decoded = profile::DecodeSeries(segment.payload);
      if (!decoded.ok()) return decoded.status();
      segments[segment.run_id].push_back(*std::move(decoded));
    }
  }
  // A bucket without a point leaves no segment: ask whether the run was
  // analysed.
  for (const int64_t id : ids) {
    if (segments.contains(id)) continue;
    absl::StatusOr<std::vector<store::TargetRecord>> targets = reading.ListTargets(id);
    if (!targets.ok()) return targets.status();
    for (const store::TargetRecord& record : *targets) {
      if (!record.computed.empty() && (target.empty() || record.label == target)) segments[id];
    }
  }
  return absl::OkStatus();
}

// The newest run that the filter lets through: of counted profiles, unless there is
// none.
absl::StatusOr<std::optional<store::RunRecord>> NewestRun(const store::Reading& reading,
                                                          store::RunFilter filter) {
  filter.limit = 1;
  for (const bool counted_only : {true, false}) {
    filter.counted_only = counted_only;
    absl::StatusOr<std::vector<store::RunRecord>> runs = reading.ListRuns(filter);
    if (!runs.ok()) return runs.status();
    if (!runs->empty()) return std::move(runs->front());
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<store::RunRecord> FindRun(const store::Reading& reading, absl::string_view project,
                                         absl::string_view text) {
  store::RunFilter filter;
  filter.project = std::string(project);
  if (text.empty() || text == "latest") {
    absl::StatusOr<std::optional<store::RunRecord>> run = NewestRun(reading, filter);
    if (!run.ok()) return run.status();
    if (!run->has_value()) {
      return absl::NotFoundError(
          absl::StrCat("project \"", project, "\" has no runs yet; `gprofhub upload` sends one"));
    }
    return **std::move(run);
  }
  int64_t id = 0;
  if (absl::SimpleAtoi(text, &id)) {
    absl::StatusOr<store::RunRecord> run = reading.ReadRun(id);
    if (run.ok() && run->project == project) return run;
    if (!run.ok() && !absl::IsNotFound(run.status())) return run.status();
  }
  if (LooksLikeCommit(text)) {
    filter.commit = std::string(text);
    absl::StatusOr<std::optional<store::RunRecord>> run = NewestRun(reading, filter);
    if (!run.ok()) return run.status();
    if (run->has_value()) return **std::move(run);
  } else if (id == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("run: \"", text,
                     "\" is no run id, no commit of at least 7 hexadecimal digits, and not "
                     "\"latest\""));
  }
  return absl::NotFoundError(absl::StrCat("project \"", project, "\" has no run \"", text,
                                          "\"; `gprofhub runs` lists what there is"));
}

absl::Status CheckCounted(const store::RunRecord& run) {
  if (run.profile_kind == store::ProfileKind::kCounted) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "run ", run.id,
      " holds sampled stacks: its calls are samples, no exact counts, and are for orderings only "
      "(`gprofhub order ",
      run.id, "`)"));
}

absl::StatusOr<store::TargetRecord> FindTarget(const store::Reading& reading,
                                               const store::RunRecord& run,
                                               absl::string_view label) {
  absl::StatusOr<std::vector<store::TargetRecord>> targets = reading.ListTargets(run.id);
  if (!targets.ok()) return targets.status();
  if (label.empty() && targets->size() == 1) return targets->front();
  for (const store::TargetRecord& target : *targets) {
    if (target.label == label) return target;
  }
  if (label.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("target: run ", run.id, " has ", targets->size(),
                                                   "; name one of", TargetList(*targets)));
  }
  return absl::NotFoundError(absl::StrCat("target: run ", run.id, " has no \"", label, "\"; it has",
                                          TargetList(*targets)));
}

absl::StatusOr<profile::ComputedProfile> ReadTargetProfile(const store::Blobs& blobs,
                                                           const store::TargetRecord& target) {
  absl::StatusOr<std::string> bytes = blobs.Read(target.computed);
  if (!bytes.ok()) return bytes.status();
  return profile::DecodeComputedProfile(*bytes);
}

absl::StatusOr<std::map<std::string, profile::ComputedProfile>> ReadProfiles(
    const store::Blobs& blobs, const std::vector<store::TargetRecord>& targets,
    absl::string_view label) {
  std::map<std::string, profile::ComputedProfile> profiles;
  for (const store::TargetRecord& target : targets) {
    if (target.computed.empty() || (!label.empty() && target.label != label)) continue;
    absl::StatusOr<profile::ComputedProfile> profile = ReadTargetProfile(blobs, target);
    if (!profile.ok()) return profile.status();
    profiles.emplace(target.label, *std::move(profile));
  }
  return profiles;
}

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
  filter.limit = request.limit() == 0 ? kDefaultRuns : request.limit();
  absl::StatusOr<std::vector<store::RunRecord>> runs = reading.ListRuns(filter);
  if (!runs.ok()) return runs.status();
  v1::ListRunsResponse response;
  for (const store::RunRecord& run : *runs) {
    absl::StatusOr<v1::Run> described = DescribeRun(reading, run);
    if (!described.ok()) return described.status();
    *response.add_runs() = *std::move(described);
  }
  return response;
}

absl::StatusOr<v1::Run> GetRun(const store::Reading& reading, const v1::GetRunRequest& request) {
  absl::StatusOr<store::RunRecord> run = FindRun(reading, request.project(), request.run());
  if (!run.ok()) return run.status();
  return DescribeRun(reading, *run);
}

absl::StatusOr<v1::GetProfileResponse> GetProfile(const store::Reading& reading,
                                                  const store::Blobs& blobs,
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

absl::StatusOr<v1::GetTrendResponse> GetTrend(const store::Reading& reading,
                                              const store::Blobs& blobs,
                                              const v1::GetTrendRequest& request) {
  if (request.limit() > kMostTrendRuns) {
    return absl::InvalidArgumentError(absl::StrCat("limit: at most ", kMostTrendRuns));
  }
  store::RunFilter filter;
  filter.project = request.project();
  filter.branch = request.branch();
  filter.counted_only = true;
  filter.limit = request.limit() == 0 ? kDefaultTrendRuns : request.limit();
  absl::StatusOr<std::vector<store::RunRecord>> runs = reading.ListRuns(filter);
  if (!runs.ok()) return runs.status();

  // The name is looked up in the newest runs that were analysed.
  absl::StatusOr<SeriesIdentity> function =
      absl::NotFoundError(absl::StrCat("project \"", request.project(),
                                       "\" has no analysed run of this branch and target yet; "
                                       "runs of sampled profiles have no trend"));
  size_t tried = 0;
  for (const store::RunRecord& run : *runs) {
    absl::StatusOr<std::vector<store::TargetRecord>> targets = reading.ListTargets(run.id);
    if (!targets.ok()) return targets.status();
    absl::StatusOr<std::map<std::string, profile::ComputedProfile>> profiles =
        ReadProfiles(blobs, *targets, request.target());
    if (!profiles.ok()) return profiles.status();
    if (profiles->empty()) continue;
    std::vector<profile::ComputedProfile> list;
    for (auto& [label, profile] : *profiles) list.push_back(std::move(profile));
    function = ResolveFunction(list, request.function());
    if (!absl::IsNotFound(function.status()) || ++tried == kRunsToResolveIn) break;
  }
  if (!function.ok()) return function.status();

  // A static function's series changes its hash when its file moves: the oldest
  // run may know it under another one.
  for (auto run = runs->rbegin(); run != runs->rend(); ++run) {
    absl::StatusOr<std::vector<store::TargetRecord>> targets = reading.ListTargets(run->id);
    if (!targets.ok()) return targets.status();
    absl::StatusOr<std::map<std::string, profile::ComputedProfile>> profiles =
        ReadProfiles(blobs, *targets, request.target());
    if (!profiles.ok()) return profiles.status();
    if (profiles->empty()) continue;
    for (const auto& [label, profile] : *profiles) AddHashes(profile, *function);
    break;
  }

  SegmentsByRun segments;
  if (absl::Status status = ReadSegments(reading, *runs, request.target(), *function, segments);
      !status.ok()) {
    return status;
  }
  return BuildTrend(*function, *runs, segments);
}

}  // namespace gprofhub::reporter
