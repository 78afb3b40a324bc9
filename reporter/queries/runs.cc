#include "reporter/queries/runs.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/hash.h"
#include "base/memory_budget.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "profile/codec/computed.h"
#include "store/records/records.h"
#include "store/records/run_columns.h"

namespace gprofhub::reporter {

namespace {

constexpr size_t kShortestCommit = 7;
constexpr size_t kTargetsListed = 20;
constexpr uint32_t kMostBack = 999;
constexpr uint32_t kRunsForSuggestions = 100;
constexpr char kLatest[] = "latest";

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

// The run that matches the filter and was uploaded last, or `back` runs before that: of counted
// profiles, else of stacks, else a window.
absl::StatusOr<std::optional<store::RunRecord>> NewestRun(const store::Reading& reading,
                                                          store::RunFilter filter, uint32_t back) {
  filter.limit = back + 1;
  filter.by_arrival = true;
  filter.with_ancestors = true;
  using Kind = store::ProfileKind;
  for (const Kind kind : {Kind::kCounted, Kind::kSampled, Kind::kWindow}) {
    filter.counted_only = kind == Kind::kCounted;
    filter.windows_only = kind == Kind::kWindow;
    ASSIGN_OR_RETURN(std::vector<store::RunRecord> runs, reading.ListRuns(filter));
    if (runs.empty()) continue;
    if (runs.size() <= back) return std::nullopt;
    return std::move(runs[back]);
  }
  return std::nullopt;
}

// A name as its parts: "main~2" is 2 runs before the last one of "main".
struct RunName {
  absl::string_view base;
  uint32_t back = 0;
};

RunName SplitRunName(absl::string_view text) {
  const size_t tilde = text.rfind('~');
  RunName name = {text.substr(0, tilde), 0};
  if (tilde == absl::string_view::npos) return name;
  const absl::string_view back = text.substr(tilde + 1);
  if (back.empty()) {
    name.back = 1;
  } else if (!absl::SimpleAtoi(back, &name.back) || name.back > kMostBack) {
    return {text, 0};
  }
  return name;
}

bool IsNumber(absl::string_view text) {
  return !text.empty() && absl::c_all_of(text, absl::ascii_isdigit);
}

// Names of runs, for suggestions.
absl::StatusOr<std::vector<std::string>> NamesNear(const store::Reading& reading,
                                                   absl::string_view project) {
  store::RunFilter filter;
  filter.project = std::string(project);
  filter.limit = kRunsForSuggestions;
  ASSIGN_OR_RETURN(const std::vector<store::RunRecord> runs, reading.ListRuns(filter));
  std::vector<std::string> names = {kLatest};
  for (const store::RunRecord& run : runs) names.push_back(run.branch);
  return names;
}

// NOT_FOUND for a name without a run, with the closest name that has one.
absl::Status NoSuchRun(const store::Reading& reading, absl::string_view project,
                       absl::string_view text) {
  ASSIGN_OR_RETURN(const std::vector<std::string> names, NamesNear(reading, project));
  const std::string meant = base::Closest(text, names);
  return absl::NotFoundError(
      absl::StrCat("project \"", project, "\" has no run \"", base::Printable(text), "\"; ",
                   meant.empty() ? "`gprofhub runs` lists the runs"
                                 : absl::StrCat("did you mean ", base::Printable(meant), "?")));
}

// The run of a commit that begins so; FAILED_PRECONDITION for runs of several such commits.
absl::StatusOr<std::optional<store::RunRecord>> RunOfCommit(const store::Reading& reading,
                                                            store::RunFilter filter) {
  ASSIGN_OR_RETURN(std::optional<store::RunRecord> run, NewestRun(reading, filter, 0));
  if (!run.has_value()) return run;
  filter.limit = kRunsForSuggestions;
  ASSIGN_OR_RETURN(const std::vector<store::RunRecord> same, reading.ListRuns(filter));
  for (const store::RunRecord& other : same) {
    if (other.commit == run->commit) continue;
    return absl::FailedPreconditionError(absl::StrCat("run \"", filter.commit,
                                                      "\" is ambiguous: commits ", run->commit,
                                                      " and ", other.commit, " begin so"));
  }
  return run;
}

}  // namespace

bool LooksLikeCommit(absl::string_view text) {
  return text.size() >= kShortestCommit && text.size() <= 64 && base::IsLowerHex(text);
}

absl::StatusOr<store::RunRecord> FindRun(const store::Reading& reading, absl::string_view project,
                                         absl::string_view text) {
  store::RunFilter filter;
  filter.project = std::string(project);
  const RunName name = SplitRunName(text);
  std::optional<store::RunRecord> run;
  if (name.base.empty() || name.base == kLatest) {
    ASSIGN_OR_RETURN(run, NewestRun(reading, filter, name.back));
    if (run.has_value()) return *std::move(run);
    return absl::NotFoundError(
        name.back == 0
            ? absl::StrCat("project \"", project, "\" has no runs yet; `gprofhub upload` sends one")
            : absl::StrCat("project \"", project, "\" has no run \"", text,
                           "\": it has fewer runs"));
  }
  if (name.base.front() == '#' && IsNumber(name.base.substr(1))) {
    filter.pull_request = std::string(name.base.substr(1));
    ASSIGN_OR_RETURN(run, NewestRun(reading, filter, name.back));
    if (run.has_value()) return *std::move(run);
    return NoSuchRun(reading, project, text);
  }
  int64_t id = 0;
  if (IsNumber(text) && absl::SimpleAtoi(text, &id)) {
    absl::StatusOr<store::RunRecord> numbered = reading.ReadRun(id);
    if (numbered.ok() && numbered->project == project) return numbered;
    if (!numbered.ok() && !absl::IsNotFound(numbered.status())) return numbered.status();
  }
  if (LooksLikeCommit(text)) {
    filter.commit = std::string(text);
    ASSIGN_OR_RETURN(run, RunOfCommit(reading, filter));
    if (run.has_value()) return *std::move(run);
    filter.commit.clear();
  }
  filter.branch = std::string(name.base);
  absl::StatusOr<std::optional<store::RunRecord>> of_branch = NewestRun(reading, filter, name.back);
  // Too long, or binary: not the name of a branch.
  if (absl::IsInvalidArgument(of_branch.status())) return NoSuchRun(reading, project, text);
  RETURN_IF_ERROR(of_branch.status());
  if (of_branch->has_value()) return **std::move(of_branch);
  return NoSuchRun(reading, project, text);
}

absl::Status CheckCounted(const store::RunRecord& run) {
  if (run.profile_kind != store::ProfileKind::kSampled) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "run ", run.id,
      " holds sampled stacks: its calls are samples, no exact counts, and are for orderings only "
      "(`gprofhub order ",
      run.id, "`)"));
}

absl::Status CheckComparable(const store::RunRecord& run) {
  if (run.profile_kind != store::ProfileKind::kWindow) return CheckCounted(run);
  return absl::FailedPreconditionError(
      absl::StrCat("run ", run.id,
                   " is a window of a program that runs: it did what it was asked in that time, "
                   "so it is compared with nothing (`gprofhub listing ",
                   run.id, "`)"));
}

absl::StatusOr<store::TargetRecord> FindTarget(const store::Reading& reading,
                                               const store::RunRecord& run,
                                               absl::string_view label) {
  ASSIGN_OR_RETURN(std::vector<store::TargetRecord> targets, reading.ListTargets(run.id));
  if (label.empty() && targets.size() == 1) return targets.front();
  for (const store::TargetRecord& target : targets) {
    if (target.label == label) return target;
  }
  if (label.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("target: run ", run.id, " has ", targets.size(),
                                                   "; name one of", TargetList(targets)));
  }
  return absl::NotFoundError(
      absl::StrCat("target: run ", run.id, " has no \"", label, "\"; it has", TargetList(targets)));
}

absl::StatusOr<profile::ComputedProfile> ReadTargetProfile(const BlobReader& blobs,
                                                           const store::TargetRecord& target) {
  ASSIGN_OR_RETURN(std::string bytes, blobs.Read(target.computed));
  const base::Reservation of_bytes = blobs.decoding().Adopt(bytes.size());
  return profile::DecodeComputedProfile(bytes, blobs.decoding());
}

absl::StatusOr<std::map<std::string, profile::ComputedProfile>> ReadProfiles(
    const BlobReader& blobs, const std::vector<store::TargetRecord>& targets,
    absl::string_view label, QueryMemory* memory) {
  std::map<std::string, profile::ComputedProfile> profiles;
  for (const store::TargetRecord& target : targets) {
    if (target.computed.empty() || target.without_profiles > 0 ||
        (!label.empty() && target.label != label)) {
      continue;
    }
    if (memory == nullptr) {
      ASSIGN_OR_RETURN(profile::ComputedProfile profile, ReadTargetProfile(blobs, target));
      profiles.emplace(target.label, std::move(profile));
      continue;
    }
    ASSIGN_OR_RETURN(const std::shared_ptr<const profile::ComputedProfile> kept,
                     FindTargetProfile(blobs, target, memory));
    const uint64_t bytes = profile::MemoryOf(*kept);
    ASSIGN_OR_RETURN(base::Reservation copy, blobs.decoding().Take(bytes));
    copy.Leave(bytes);
    profiles.emplace(target.label, *kept);
  }
  return profiles;
}

absl::StatusOr<std::shared_ptr<const profile::ComputedProfile>> FindTargetProfile(
    const BlobReader& blobs, const store::TargetRecord& target, QueryMemory* memory) {
  const auto read = [&] { return ReadTargetProfile(blobs, target); };
  if (memory != nullptr) return memory->profiles.Get(target.computed, read);
  ASSIGN_OR_RETURN(profile::ComputedProfile computed, read());
  return std::make_shared<const profile::ComputedProfile>(std::move(computed));
}

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

void SetCounts(const store::TargetCounts& counts, v1::Run& run) {
  run.set_jobs_pending(counts.pending);
  run.set_jobs_done(counts.analyzed);
  run.set_jobs_failed(counts.failed);
}

v1::Run DescribeRun(const store::RunRecord& run) {
  v1::Run described;
  described.set_run_id(absl::StrCat(run.id));
  *described.mutable_info() = store::ToRunInfo(run);
  described.set_received_unix_ms(absl::ToUnixMillis(run.received));
  return described;
}

enum class WhichTargets { kAll, kFailed };

// The run's targets, and their number by state.
absl::Status AddTargets(const store::Reading& reading, int64_t run_id, WhichTargets which,
                        v1::Run& run) {
  ASSIGN_OR_RETURN(const std::vector<store::TargetRecord> targets, reading.ListTargets(run_id));
  store::TargetCounts counts;
  for (const store::TargetRecord& record : targets) {
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
  ASSIGN_OR_RETURN(const std::vector<store::ExecutionRecord> executions,
                   reading.ListExecutions(run_id));
  std::map<absl::string_view, v1::Target*> targets;
  for (v1::Target& target : *run.mutable_targets()) targets.emplace(target.label(), &target);
  for (const store::ExecutionRecord& record : executions) {
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
  if (!request.parts() && !request.commit().empty() && !LooksLikeCommit(request.commit())) {
    return absl::InvalidArgumentError("commit: at least 7 lower-case hexadecimal digits");
  }
  store::RunFilter filter;
  filter.project = request.project();
  filter.branch = request.branch();
  filter.commit = request.commit();
  filter.pull_request = request.pull_request();
  filter.windows_only = request.windows();
  filter.by_parts = request.parts();
  filter.limit = request.limit() == 0 ? kDefaultRuns : request.limit();
  ASSIGN_OR_RETURN(std::vector<store::RunRecord> runs, reading.ListRuns(filter));
  std::vector<int64_t> ids;
  for (const store::RunRecord& run : runs) ids.push_back(run.id);
  ASSIGN_OR_RETURN(const std::vector<store::TargetCounts> counts, reading.CountTargets(ids));
  std::map<int64_t, store::TargetCounts> by_run;
  for (const store::TargetCounts& count : counts) by_run[count.run_id] = count;
  v1::ListRunsResponse response;
  for (const store::RunRecord& run : runs) {
    v1::Run& described = *response.add_runs();
    described = DescribeRun(run);
    const store::TargetCounts& count = by_run[run.id];
    if (!request.with_targets() && count.failed == 0) {
      SetCounts(count, described);
      continue;
    }
    RETURN_IF_ERROR(AddTargets(reading, run.id,
                               request.with_targets() ? WhichTargets::kAll : WhichTargets::kFailed,
                               described));
  }
  return response;
}

absl::StatusOr<v1::Run> GetRun(const store::Reading& reading, const v1::GetRunRequest& request) {
  ASSIGN_OR_RETURN(store::RunRecord run, FindRun(reading, request.project(), request.run()));
  v1::Run described = DescribeRun(run);
  RETURN_IF_ERROR(AddTargets(reading, run.id, WhichTargets::kAll, described));
  if (request.with_executions()) RETURN_IF_ERROR(AddExecutions(reading, run.id, described));
  return described;
}

absl::StatusOr<v1::GetProfileResponse> GetProfile(const store::Reading& reading,
                                                  const BlobReader& blobs,
                                                  const v1::GetProfileRequest& request) {
  ASSIGN_OR_RETURN(store::RunRecord run, FindRun(reading, request.project(), request.run()));
  ASSIGN_OR_RETURN(store::TargetRecord target, FindTarget(reading, run, request.target()));
  if (target.computed.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(target.label, " of run ", run.id,
                                                      target.state == store::TargetState::kFailed
                                                          ? absl::StrCat(" failed: ", target.error)
                                                          : " is not analysed yet"));
  }
  ASSIGN_OR_RETURN(std::string computed, blobs.Read(target.computed));
  v1::GetProfileResponse response;
  response.set_run_id(absl::StrCat(run.id));
  response.set_target(target.label);
  response.set_computed(std::move(computed));
  return response;
}

}  // namespace gprofhub::reporter
