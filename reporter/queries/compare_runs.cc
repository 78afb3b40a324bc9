#include "reporter/queries/compare_runs.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "base/memory_budget.h"
#include "base/merge_queue.h"
#include "base/status_macros.h"
#include "profile/codec/computed.h"
#include "profile/computed.h"
#include "reporter/comparison/compare_sides.h"
#include "reporter/findings/findings.h"
#include "reporter/queries/runs.h"
#include "reporter/rendering/explain.h"
#include "store/records/records.h"

namespace gprofhub::reporter {

namespace {

// Further runs add little evidence of how times vary.
constexpr uint32_t kMostBaselineRuns = 12;

bool HasMergeBase(const store::RunRecord& run) {
  return !run.base_commit.empty() && run.base_commit != run.commit;
}

}  // namespace

std::vector<std::string> BaselineCommits(const store::RunRecord& run) {
  std::vector<std::string> commits;
  const auto add = [&](const std::string& commit) {
    if (commit.empty() || commit == run.commit) return;
    if (std::find(commits.begin(), commits.end(), commit) == commits.end()) {
      commits.push_back(commit);
    }
  };
  add(run.base_commit);
  for (const std::string& ancestor : run.ancestors) add(ancestor);
  return commits;
}

std::string BaselineReason(const store::RunRecord& run, absl::string_view commit) {
  const std::vector<std::string> commits = BaselineCommits(run);
  const size_t distance =
      static_cast<size_t>(std::find(commits.begin(), commits.end(), commit) - commits.begin());
  if (HasMergeBase(run)) {
    if (distance == 0) return "merge base";
    return absl::StrCat("ancestor ", distance, distance == 1 ? " commit" : " commits",
                        " before the merge base");
  }
  if (distance == 0) return "parent commit";
  return absl::StrCat("ancestor ", distance + 1, " commits before");
}

Baseline DescribeBaseline(const store::RunRecord& run, std::vector<store::RunRecord> found) {
  Baseline baseline;
  if (!found.empty()) {
    const std::string commit = found.front().commit;
    baseline.reason = BaselineReason(run, commit);
    for (store::RunRecord& record : found) {
      (record.commit == commit ? baseline.runs : baseline.window).push_back(std::move(record));
    }
    return baseline;
  }
  const size_t searched = BaselineCommits(run).size();
  if (searched == 0) {
    baseline.reason =
        "none: the upload named neither a merge base nor ancestors (a shallow clone?)";
  } else {
    baseline.reason = absl::StrCat("none: no run of the main branch in configuration \"",
                                   run.configuration, "\" at any of the ", searched,
                                   searched == 1 ? " commit" : " commits", " before this one");
  }
  return baseline;
}

namespace {

// The runs of the group that a merge queue's group is based on, newest first.
absl::StatusOr<std::vector<store::RunRecord>> GroupBefore(const store::Reading& reading,
                                                          const store::RunRecord& run) {
  if (run.base_commit.empty() || run.base_commit == run.commit ||
      !base::IsMergeQueueBranch(run.branch)) {
    return std::vector<store::RunRecord>();
  }
  store::RunFilter filter;
  filter.project = run.project;
  filter.commit = run.base_commit;
  filter.configuration = run.configuration;
  filter.counted_only = true;
  filter.limit = kMostBaselineRuns;
  ASSIGN_OR_RETURN(std::vector<store::RunRecord> runs, reading.ListRuns(filter));
  std::erase_if(
      runs, [](const store::RunRecord& found) { return !base::IsMergeQueueBranch(found.branch); });
  return runs;
}

}  // namespace

absl::StatusOr<Baseline> ChooseBaseline(const store::Reading& reading,
                                        const store::RunRecord& run) {
  const std::vector<std::string> commits = BaselineCommits(run);
  if (commits.empty()) return DescribeBaseline(run, {});
  ASSIGN_OR_RETURN(std::vector<store::RunRecord> found, GroupBefore(reading, run));
  ASSIGN_OR_RETURN(
      const std::vector<store::RunRecord> mainline,
      reading.FindBaselineRuns(run.project, run.configuration, commits, kMostBaselineRuns));
  found.insert(found.end(), mainline.begin(), mainline.end());
  return DescribeBaseline(run, std::move(found));
}

namespace {

// Per commit; the newest count.
constexpr uint32_t kMostHeadRuns = 12;

using Targets = std::map<std::string, store::TargetRecord>;

Targets ByLabel(std::vector<store::TargetRecord> list) {
  Targets targets;
  for (store::TargetRecord& target : list) targets.emplace(target.label, std::move(target));
  return targets;
}

absl::StatusOr<Targets> ReadTargets(const store::Reading& reading, const store::RunRecord& run) {
  ASSIGN_OR_RETURN(std::vector<store::TargetRecord> list, reading.ListTargets(run.id));
  return ByLabel(std::move(list));
}

// FAILED_PRECONDITION while the analysis is in progress.
absl::Status CheckAnalysed(const store::RunRecord& run, absl::string_view which,
                           const Targets& targets) {
  size_t pending = 0;
  for (const auto& [label, target] : targets) {
    pending += target.state == store::TargetState::kPending;
  }
  if (pending == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(pending, " of ", targets.size(), targets.size() == 1 ? " target" : " targets",
                   " of the ", which, " run ", run.id, pending == 1 ? " is" : " are",
                   " not analysed yet; `gprofhub runs --wait` waits for it"));
}

// Why the run's target has no profile to compare; empty: it has one.
std::string WhyNotMeasured(const store::TargetRecord& target, absl::string_view which) {
  if (target.state == store::TargetState::kFailed) {
    return absl::StrCat("its analysis failed at the ", which, ": ", target.error);
  }
  if (target.without_profiles == 0) return "";
  if (!target.cached) {
    return absl::StrCat(target.without_profiles, " of its ", target.executions,
                        target.executions == 1 ? " execution" : " executions", " at the ", which,
                        target.without_profiles == 1 ? " has no profile" : " have no profile");
  }
  return absl::StrCat("the ", which,
                      "'s result came from a cache, and its profile was never uploaded; upload "
                      "where the test runs, or with --remote_download_toplevel");
}

void Describe(const store::RunRecord& run, const Targets& targets, v1::Compared::Side& side) {
  side.set_run_id(absl::StrCat(run.id));
  side.set_commit(run.commit);
  side.set_subject(run.commit_subject);
  side.set_branch(run.branch);
  side.set_machine(run.machine);
  for (const auto& [label, target] : targets) {
    side.set_executions(side.executions() + target.executions);
  }
}

// Whether both are one measurement: a cached result repeats the earlier one.
bool IsSameMeasurement(const store::TargetRecord& a, const store::TargetRecord& b) {
  return (a.cached || b.cached) && !a.computed.empty() && a.computed == b.computed;
}

bool IsSameBinary(const store::TargetRecord& a, const store::TargetRecord& b) {
  return !a.test_binary_digest.empty() && a.test_binary_digest == b.test_binary_digest;
}

// A measurement of one label in a run.
struct Measurement {
  const store::RunRecord* run = nullptr;
  store::TargetRecord target;
  bool in_window = false;
  std::string machine = {};  // kind of machine
};

// By label, in insertion order.
using Measurements = std::map<std::string, std::vector<Measurement>>;

// Adds the run's measurements of the targets in `wanted`. A run that is one of several may lack
// some, or still be in analysis. Duplicates are skipped.
void AddMeasurements(const store::RunRecord& run, const Targets& targets,
                     const std::set<std::string>& wanted, bool in_window, Measurements& all) {
  for (const auto& [label, target] : targets) {
    if (!wanted.contains(label) || target.computed.empty() || !WhyNotMeasured(target, "").empty()) {
      continue;
    }
    std::vector<Measurement>& known = all[label];
    const bool is_new =
        std::none_of(known.begin(), known.end(), [&target = target](const Measurement& one) {
          return IsSameMeasurement(one.target, target);
        });
    if (is_new) known.push_back({&run, target, in_window});
  }
}

// Adds the measurements of the window's runs.
absl::Status AddWindow(const store::Reading& reading, const std::vector<store::RunRecord>& runs,
                       const std::set<std::string>& wanted, Measurements& all) {
  std::vector<int64_t> ids;
  for (const store::RunRecord& run : runs) ids.push_back(run.id);
  ASSIGN_OR_RETURN(std::vector<std::vector<store::TargetRecord>> targets,
                   reading.ListTargetsOfRuns(ids));
  for (size_t i = 0; i < runs.size(); ++i) {
    AddMeasurements(runs[i], ByLabel(std::move(targets[i])), wanted, /*in_window=*/true, all);
  }
  return absl::OkStatus();
}

// Determines the machines: for a cached result, that of the run that filled the cache, if it was
// uploaded.
absl::Status FindMachines(const store::Reading& reading, Measurements& measurements) {
  for (auto& [label, list] : measurements) {
    for (Measurement& one : list) {
      one.machine = one.run->machine;
      if (!one.target.cached) continue;
      ASSIGN_OR_RETURN(const std::vector<store::RunRecord> measured,
                       reading.FindMeasuringRun(one.run->project, one.run->configuration,
                                                one.target.label, one.target.computed));
      if (!measured.empty()) one.machine = measured.front().machine;
    }
  }
  return absl::OkStatus();
}

// Adds the measurements of the label to the side.
absl::Status ReadMeasurements(const BlobReader& blobs, const Measurements& measurements,
                              const std::string& label, ComparisonSide& side) {
  const auto found = measurements.find(label);
  if (found == measurements.end()) return absl::OkStatus();
  for (const Measurement& one : found->second) {
    ASSIGN_OR_RETURN(profile::ComputedProfile profile, ReadTargetProfile(blobs, one.target));
    (one.in_window ? side.window : side.targets)[label].push_back(std::move(profile));
    side.origins[label].push_back({one.run->commit, one.target.test_binary_digest, one.machine});
  }
  return absl::OkStatus();
}

// Memory size of a side's profiles.
uint64_t MemoryOf(const ComparisonSide& side) {
  uint64_t memory = 0;
  for (const auto* profiles : {&side.targets, &side.window}) {
    for (const auto& [label, list] : *profiles) {
      for (const profile::ComputedProfile& one : list) memory += profile::MemoryOf(one);
    }
  }
  return memory;
}

// The labels of either side.
std::vector<std::string> LabelsOf(const Measurements& a, const Measurements& b) {
  std::set<std::string> labels;
  for (const Measurements* side : {&a, &b}) {
    for (const auto& [label, list] : *side) labels.insert(label);
  }
  return std::vector<std::string>(labels.begin(), labels.end());
}

// Appends the names of all inputs of a side of a comparison.
void AppendSide(const v1::Compared::Side& about, const Measurements& measurements,
                std::string& name) {
  const auto append = [&name](absl::string_view text) {
    absl::StrAppend(&name, text.size(), ":", text);
  };
  append(about.SerializeAsString());
  for (const auto& [label, list] : measurements) {
    append(label);
    absl::StrAppend(&name, list.size(), ";");
    for (const Measurement& one : list) {
      absl::StrAppend(&name, one.in_window ? "w" : "t");
      append(one.target.computed);
      append(one.run->commit);
      append(one.target.test_binary_digest);
      append(one.machine);
    }
  }
}

void NoteNotCompared(const std::string& label, std::string reason, v1::Compared& compared) {
  v1::NotCompared& left_out = *compared.add_not_compared();
  left_out.set_target(label);
  left_out.set_reason(std::move(reason));
}

// The status of a failed execution, by label.
using Failures = std::map<std::string, std::string>;

// The head's targets that need comparing; the others are recorded. `failed`: those of the head that
// passed at the base.
std::set<std::string> TargetsToCompare(const Targets& head, const Targets* base,
                                       const Failures& failed, v1::Compared& compared) {
  std::set<std::string> wanted;
  for (const auto& [label, target] : head) {
    if (target.cached) compared.add_cached_targets(label);
    const auto at_base = base == nullptr ? Targets::const_iterator() : base->find(label);
    const bool is_at_base = base != nullptr && at_base != base->end();
    if (is_at_base &&
        (IsSameBinary(target, at_base->second) || IsSameMeasurement(target, at_base->second))) {
      compared.add_unchanged_targets(label);
      continue;
    }
    std::string reason = WhyNotMeasured(target, "head");
    if (reason.empty() && is_at_base) reason = WhyNotMeasured(at_base->second, "base");
    if (const auto failure = failed.find(label); reason.empty() && failure != failed.end()) {
      reason = absl::StrCat("it passed at the base and ended with ", failure->second,
                            " at the head, perhaps before its end");
    }
    if (reason.empty()) {
      wanted.insert(label);
    } else {
      NoteNotCompared(label, std::move(reason), compared);
    }
  }
  return wanted;
}

// Records the base's targets that the head lacks: they do not build or run any more, or were
// removed. A run that repeats some tests lacks the others on purpose.
void NoteMissing(const store::RunRecord& head_run, const Targets& head, const Targets& base,
                 v1::Compared& compared) {
  if (head_run.rerun == store::RerunRole::kRerun) return;
  for (const auto& [label, target] : base) {
    if (head.contains(label) || target.computed.empty()) continue;
    NoteNotCompared(label,
                    "it ran at the base and has no result at the head: it failed to build, did not "
                    "run, or was removed",
                    compared);
  }
}

// The failed executions of the runs: each one's last attempt.
absl::StatusOr<Failures> ReadFailures(const store::Reading& reading,
                                      const std::vector<store::RunRecord>& runs) {
  Failures failures;
  for (const store::RunRecord& run : runs) {
    ASSIGN_OR_RETURN(const std::vector<store::ExecutionRecord> executions,
                     reading.ListExecutions(run.id));
    std::map<std::tuple<std::string, uint32_t, uint32_t>, const store::ExecutionRecord*> last;
    for (const store::ExecutionRecord& one : executions) {
      const store::ExecutionRecord*& known = last[{one.target, one.run_number, one.shard}];
      if (known == nullptr || known->attempt < one.attempt) known = &one;
    }
    for (const auto& [place, one] : last) {
      if (one->status == "FAILED" || one->status == "TIMEOUT" || one->status == "INCOMPLETE") {
        failures.emplace(one->target, one->status);
      }
    }
  }
  return failures;
}

// The base: the runs in the request, or else the head's baseline.
absl::StatusOr<Baseline> FindBase(const store::Reading& reading, const v1::CompareRequest& request,
                                  const store::RunRecord& head) {
  if (request.base().empty()) return ChooseBaseline(reading, head);
  ASSIGN_OR_RETURN(store::RunRecord base, FindRun(reading, request.project(), request.base()));
  RETURN_IF_ERROR(CheckComparable(base));
  Baseline baseline;
  baseline.runs.push_back(std::move(base));
  baseline.reason = "given";
  return baseline;
}

// The merged runs of one commit: the requested one, and those that reran some of its targets.
struct CommitRuns {
  std::vector<store::RunRecord> runs;  // the first is the requested one
  std::vector<Targets> targets;        // of each run
  // Each label once: from the first run that measured it, or else from the first that has it.
  Targets merged;
};

// The first run must be analysed. Of the others the analysed targets count.
absl::StatusOr<CommitRuns> ReadCommit(const store::Reading& reading,
                                      std::vector<store::RunRecord> runs, absl::string_view which) {
  CommitRuns commit;
  for (store::RunRecord& run : runs) {
    ASSIGN_OR_RETURN(Targets targets, ReadTargets(reading, run));
    if (commit.runs.empty()) {
      RETURN_IF_ERROR(CheckAnalysed(run, which, targets));
    }
    for (const auto& [label, target] : targets) {
      if (target.state == store::TargetState::kPending) continue;
      const auto [known, added] = commit.merged.emplace(label, target);
      if (!added && !WhyNotMeasured(known->second, "").empty() &&
          WhyNotMeasured(target, "").empty()) {
        known->second = target;
      }
    }
    commit.targets.push_back(std::move(targets));
    commit.runs.push_back(std::move(run));
  }
  return commit;
}

// The head, and further runs of its commit in its configuration and of its pull request, newest
// first. A run that is compared with another run of its own commit is not merged.
absl::StatusOr<std::vector<store::RunRecord>> RunsOfHead(const store::Reading& reading,
                                                         const store::RunRecord& head,
                                                         const Baseline& baseline) {
  std::vector<store::RunRecord> runs = {head};
  if (!baseline.runs.empty() && baseline.runs.front().commit == head.commit) return runs;
  store::RunFilter filter;
  filter.project = head.project;
  filter.commit = head.commit;
  filter.configuration = head.configuration;
  filter.counted_only = true;
  filter.by_arrival = true;
  filter.limit = kMostHeadRuns;
  ASSIGN_OR_RETURN(std::vector<store::RunRecord> found, reading.ListRuns(filter));
  for (store::RunRecord& run : found) {
    const bool belongs = run.id != head.id && run.pull_request == head.pull_request &&
                         run.from_fork == head.from_fork;
    if (belongs) runs.push_back(std::move(run));
  }
  return runs;
}

// Compares with a non-empty baseline.
absl::StatusOr<v1::Report> CompareWith(const store::Reading& reading, const BlobReader& blobs,
                                       const Baseline& baseline, const CommitRuns& head,
                                       bool all_times, v1::Compared& noted,
                                       std::vector<std::string>& warnings, QueryMemory* memory) {
  const absl::StatusOr<CommitRuns> base = ReadCommit(reading, baseline.runs, "base");
  if (!base.ok()) return base.status();
  const store::RunRecord& head_run = head.runs.front();
  const store::RunRecord& base_run = base->runs.front();
  AboutSides about;
  Describe(base_run, base->merged, about.base);
  Describe(head_run, head.merged, about.head);

  ASSIGN_OR_RETURN(Failures failed, ReadFailures(reading, head.runs));
  ASSIGN_OR_RETURN(const Failures failed_before, ReadFailures(reading, base->runs));
  std::erase_if(failed, [&](const auto& one) { return failed_before.contains(one.first); });
  const std::set<std::string> wanted = TargetsToCompare(head.merged, &base->merged, failed, noted);
  NoteMissing(head_run, head.merged, base->merged, noted);
  Measurements head_measurements, base_measurements;
  for (size_t i = 0; i < head.runs.size(); ++i) {
    AddMeasurements(head.runs[i], head.targets[i], wanted, /*in_window=*/false, head_measurements);
  }
  for (size_t i = 0; i < base->runs.size(); ++i) {
    AddMeasurements(base->runs[i], base->targets[i], wanted, /*in_window=*/false,
                    base_measurements);
  }
  RETURN_IF_ERROR(AddWindow(reading, baseline.window, wanted, base_measurements));
  RETURN_IF_ERROR(FindMachines(reading, head_measurements));
  RETURN_IF_ERROR(FindMachines(reading, base_measurements));
  if (base_run.configuration != head_run.configuration) {
    warnings.push_back(absl::StrCat("the base was built in configuration \"",
                                    base_run.configuration, "\", the head in \"",
                                    head_run.configuration, "\""));
  }
  CompareOptions options;
  if (!all_times) options.most_quiet_times = kQuietTimes;
  const auto compare = [&] {
    return CompareTargets(
        LabelsOf(base_measurements, head_measurements), about,
        [&](const std::string& label) -> absl::StatusOr<SidesOfTarget> {
          SidesOfTarget sides;
          absl::Status read = ReadMeasurements(blobs, base_measurements, label, sides.base);
          read.Update(ReadMeasurements(blobs, head_measurements, label, sides.head));
          if (!read.ok()) return read;
          sides.memory = blobs.decoding().Adopt(MemoryOf(sides.base) + MemoryOf(sides.head));
          return sides;
        },
        options);
  };
  if (memory == nullptr) return compare();
  std::string name = all_times ? "all;" : ";";
  AppendSide(about.base, base_measurements, name);
  AppendSide(about.head, head_measurements, name);
  ASSIGN_OR_RETURN(const std::shared_ptr<const v1::Report> kept,
                   memory->reports.Get(base::Sha256Hex(name), compare));
  base::GrowingMemory copy(blobs.decoding());
  RETURN_IF_ERROR(copy.GrowTo(kept->SpaceUsedLong()));
  return *kept;
}

}  // namespace

absl::StatusOr<v1::Report> CompareRuns(const store::Reading& reading, const BlobReader& blobs,
                                       const v1::CompareRequest& request, QueryMemory* memory) {
  ASSIGN_OR_RETURN(const store::RunRecord run, FindRun(reading, request.project(), request.head()));
  RETURN_IF_ERROR(CheckComparable(run));
  ASSIGN_OR_RETURN(const Baseline baseline, FindBase(reading, request, run));

  std::vector<std::string> warnings;
  ASSIGN_OR_RETURN(std::vector<store::RunRecord> runs, RunsOfHead(reading, run, baseline));
  ASSIGN_OR_RETURN(const CommitRuns head, ReadCommit(reading, std::move(runs), "head"));
  v1::Report report;
  v1::Compared noted;
  if (baseline.runs.empty()) {
    TargetsToCompare(head.merged, nullptr, {}, noted);
    Describe(run, head.merged, *report.mutable_compared()->mutable_head());
  } else {
    ASSIGN_OR_RETURN(
        v1::Report compared,
        CompareWith(reading, blobs, baseline, head, request.all_times(), noted, warnings, memory));
    report = std::move(compared);
  }
  v1::Compared& compared = *report.mutable_compared();
  compared.MergeFrom(noted);
  compared.set_baseline_reason(baseline.reason);
  compared.set_configuration(run.configuration);
  for (const std::string& warning : warnings) report.add_warnings(warning);
  return report;
}

namespace {

// The run's profiles of the target; nothing if it was not measured.
absl::StatusOr<std::vector<profile::ComputedProfile>> ReadSide(
    const store::Reading& reading, const BlobReader& blobs, const std::string& project,
    const std::string& run_id, const std::string& label, QueryMemory* memory) {
  ASSIGN_OR_RETURN(const store::RunRecord run, FindRun(reading, project, run_id));
  const absl::StatusOr<store::TargetRecord> target = FindTarget(reading, run, label);
  if (absl::IsNotFound(target.status())) return std::vector<profile::ComputedProfile>();
  if (!target.ok()) return target.status();
  if (target->computed.empty()) return std::vector<profile::ComputedProfile>();
  const absl::StatusOr<std::shared_ptr<const profile::ComputedProfile>> profile =
      FindTargetProfile(blobs, *target, memory);
  if (!profile.ok()) return profile.status();
  return std::vector<profile::ComputedProfile>{**profile};
}

}  // namespace

absl::StatusOr<v1::Explanation> ExplainFinding(const store::Reading& reading,
                                               const BlobReader& blobs,
                                               const v1::ExplainRequest& request) {
  v1::CompareRequest compare;
  compare.set_project(request.project());
  compare.set_head(request.head());
  compare.set_base(request.base());
  compare.set_all_times(true);
  ASSIGN_OR_RETURN(const v1::Report report, CompareRuns(reading, blobs, compare));
  ASSIGN_OR_RETURN(const v1::Finding finding, FindFinding(report, request.finding()));
  return ExplainIn(reading, blobs, request.project(), report, finding);
}

absl::StatusOr<v1::Explanation> ExplainIn(const store::Reading& reading, const BlobReader& blobs,
                                          const std::string& project, const v1::Report& report,
                                          const v1::Finding& finding, QueryMemory* memory) {
  const v1::Compared& compared = report.compared();
  ASSIGN_OR_RETURN(auto base, ReadSide(reading, blobs, project, compared.base().run_id(),
                                       finding.target(), memory));
  ASSIGN_OR_RETURN(auto head, ReadSide(reading, blobs, project, compared.head().run_id(),
                                       finding.target(), memory));
  return Explain(report, finding, {std::move(base), std::move(head)});
}

}  // namespace gprofhub::reporter
