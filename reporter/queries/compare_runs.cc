#include "reporter/queries/compare_runs.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "reporter/comparison/compare_sides.h"
#include "reporter/comparison/rank_findings.h"
#include "reporter/queries/baseline.h"
#include "reporter/queries/find_run.h"
#include "reporter/queries/read_profiles.h"

namespace gprofhub::reporter {
namespace {

constexpr uint32_t kDefaultFindings = 1000;

using Targets = std::map<std::string, store::TargetRecord>;

absl::StatusOr<Targets> ReadTargets(const store::Reading& reading, const store::RunRecord& run) {
  absl::StatusOr<std::vector<store::TargetRecord>> list = reading.ListTargets(run.id);
  if (!list.ok()) return list.status();
  Targets targets;
  for (store::TargetRecord& target : *list) targets.emplace(target.label, std::move(target));
  return targets;
}

// Notes what cannot be compared; FAILED_PRECONDITION while the analysis goes on.
absl::Status CheckAnalysed(const store::RunRecord& run, absl::string_view which,
                           const Targets& targets, std::vector<std::string>& warnings) {
  size_t pending = 0;
  for (const auto& [label, target] : targets) {
    if (target.state == store::TargetState::kPending) ++pending;
    if (target.state == store::TargetState::kFailed) {
      warnings.push_back(
          absl::StrCat(label, " (", which, ") could not be analysed: ", target.error));
    }
  }
  if (pending == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(pending, " of ", targets.size(), " targets of the ", which, " run ", run.id,
                   " are not analysed yet; `gprofhub runs --wait` waits for it"));
}

void Describe(const store::RunRecord& run, const Targets& targets, v1::Compared::Side& side) {
  side.set_run_id(absl::StrCat(run.id));
  side.set_commit(run.commit);
  side.set_branch(run.branch);
  side.set_machine(run.machine);
  for (const auto& [label, target] : targets) {
    side.set_executions(side.executions() + target.executions);
  }
}

// Adds the profiles of the targets in `wanted`. A run that is only one of several may
// lack some, or still be analysed.
absl::Status AddProfiles(const store::Blobs& blobs, const store::RunRecord& run,
                         const Targets& targets, const std::set<std::string>& wanted,
                         std::map<std::string, std::vector<profile::ComputedProfile>>& profiles,
                         ComparisonSide& side) {
  std::vector<store::TargetRecord> list;
  for (const auto& [label, target] : targets) {
    // What came out of a cache was measured before, and is there already.
    if (wanted.contains(label)) list.push_back(target);
  }
  absl::StatusOr<std::map<std::string, profile::ComputedProfile>> read =
      ReadProfiles(blobs, list, "");
  if (!read.ok()) return read.status();
  for (auto& [label, profile] : *read) {
    profiles[label].push_back(std::move(profile));
    side.origins[label].push_back({run.commit, targets.at(label).test_binary_digest, run.machine});
  }
  return absl::OkStatus();
}

// The head's targets that are worth comparing; the others are noted.
std::set<std::string> TargetsToCompare(const Targets& head, const Targets* base,
                                       v1::Compared& compared) {
  std::set<std::string> wanted;
  for (const auto& [label, target] : head) {
    if (target.cached) compared.add_cached_targets(label);
    const bool at_base = base != nullptr && base->contains(label);
    const bool same_binary = at_base && !target.test_binary_digest.empty() &&
                             target.test_binary_digest == base->at(label).test_binary_digest;
    if (same_binary) {
      compared.add_unchanged_targets(label);
    } else if (!target.cached || !at_base) {
      wanted.insert(label);
    }
  }
  return wanted;
}

// The runs to compare with: those that the request names, or else the head's baseline.
absl::StatusOr<Baseline> FindBase(const store::Reading& reading, const v1::CompareRequest& request,
                                  const store::RunRecord& head) {
  if (request.base().empty()) return ChooseBaseline(reading, head);
  absl::StatusOr<store::RunRecord> base = FindRun(reading, request.project(), request.base());
  if (!base.ok()) return base.status();
  if (absl::Status status = CheckCounted(*base); !status.ok()) return status;
  Baseline baseline;
  baseline.runs.push_back(*std::move(base));
  baseline.reason = "given";
  return baseline;
}

// A run whose targets are all analysed.
struct AnalysedRun {
  const store::RunRecord& run;
  Targets targets;
};

absl::StatusOr<AnalysedRun> ReadAnalysed(const store::Reading& reading, const store::RunRecord& run,
                                         absl::string_view which,
                                         std::vector<std::string>& warnings) {
  absl::StatusOr<Targets> targets = ReadTargets(reading, run);
  if (!targets.ok()) return targets.status();
  if (absl::Status status = CheckAnalysed(run, which, *targets, warnings); !status.ok()) {
    return status;
  }
  return AnalysedRun{run, *std::move(targets)};
}

// Compares with a baseline that has a run.
absl::StatusOr<v1::Report> CompareWith(const store::Reading& reading, const store::Blobs& blobs,
                                       const Baseline& baseline, const AnalysedRun& head,
                                       v1::Compared& noted, std::vector<std::string>& warnings) {
  const absl::StatusOr<AnalysedRun> base =
      ReadAnalysed(reading, baseline.runs.front(), "base", warnings);
  if (!base.ok()) return base.status();
  ComparisonSide base_side, head_side;
  Describe(base->run, base->targets, base_side.about);
  Describe(head.run, head.targets, head_side.about);

  std::set<std::string> wanted = TargetsToCompare(head.targets, &base->targets, noted);
  absl::Status status =
      AddProfiles(blobs, head.run, head.targets, wanted, head_side.targets, head_side);
  for (const auto& [label, target] : base->targets) {
    if (!head.targets.contains(label)) wanted.insert(label);
  }
  status.Update(AddProfiles(blobs, base->run, base->targets, wanted, base_side.targets, base_side));
  for (const auto* part : {&baseline.runs, &baseline.window}) {
    for (const store::RunRecord& run : *part) {
      if (run.id == base->run.id) continue;
      const absl::StatusOr<Targets> targets = ReadTargets(reading, run);
      if (!targets.ok()) return targets.status();
      status.Update(AddProfiles(blobs, run, *targets, wanted,
                                part == &baseline.runs ? base_side.targets : base_side.window,
                                base_side));
    }
  }
  if (!status.ok()) return status;
  if (base->run.configuration != head.run.configuration) {
    warnings.push_back(absl::StrCat("the base was built in configuration \"",
                                    base->run.configuration, "\", the head in \"",
                                    head.run.configuration, "\""));
  }
  return CompareSides(base_side, head_side, CompareOptions());
}

}  // namespace

absl::StatusOr<v1::Report> CompareRuns(const store::Reading& reading, const store::Blobs& blobs,
                                       const v1::CompareRequest& request) {
  const absl::StatusOr<store::RunRecord> run = FindRun(reading, request.project(), request.head());
  if (!run.ok()) return run.status();
  if (absl::Status status = CheckCounted(*run); !status.ok()) return status;
  const absl::StatusOr<Baseline> baseline = FindBase(reading, request, *run);
  if (!baseline.ok()) return baseline.status();

  std::vector<std::string> warnings;
  const absl::StatusOr<AnalysedRun> head = ReadAnalysed(reading, *run, "head", warnings);
  if (!head.ok()) return head.status();
  v1::Report report;
  v1::Compared noted;
  if (baseline->runs.empty()) {
    TargetsToCompare(head->targets, nullptr, noted);
    Describe(*run, head->targets, *report.mutable_compared()->mutable_head());
  } else {
    absl::StatusOr<v1::Report> compared =
        CompareWith(reading, blobs, *baseline, *head, noted, warnings);
    if (!compared.ok()) return compared.status();
    report = *std::move(compared);
  }
  v1::Compared& compared = *report.mutable_compared();
  compared.MergeFrom(noted);
  compared.set_baseline_reason(baseline->reason);
  compared.set_configuration(run->configuration);
  for (const std::string& warning : warnings) report.add_warnings(warning);
  LimitFindings(report, request.limit() == 0 ? kDefaultFindings : request.limit());
  return report;
}

}  // namespace gprofhub::reporter
