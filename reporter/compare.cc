#include "reporter/compare.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "profile/demangle.h"
#include "reporter/call_changes.h"
#include "reporter/change_rows.h"
#include "reporter/match.h"
#include "reporter/time_changes.h"

namespace gprofhub {
namespace {

// Everything needed to judge one target's times once the number of judgements
// in the whole comparison is known.
struct TargetWork {
  std::string label;
  MatchedTarget matched;
  TargetTotals totals;
  TimeScale scale;
  bool times = false;  // both sides were sampled, in one dimension
};

double Seconds(const std::map<std::string, ComputedProfile>& targets) {
  double seconds = 0;
  for (const auto& [label, profile] : targets) {
    if (profile.sample_rate > 0) seconds += profile.total_samples / profile.sample_rate;
  }
  return seconds;
}

void SetTimes(const std::map<std::string, ComputedProfile>& targets, v1::Compared::Side& side) {
  double samples = 0;
  double measured = 0;
  double overhead = 0;
  for (const auto& [label, profile] : targets) {
    samples += profile.total_samples;
    measured += profile.complete_stack_samples;
    if (profile.sample_rate > 0) overhead += profile.overhead_samples / profile.sample_rate;
  }
  side.set_total_seconds(Seconds(targets));
  if (samples > 0) side.set_measured_share(std::min(1.0, measured / samples));
  side.set_overhead_seconds(overhead);
}

struct Ranked {
  v1::Finding finding;
  FindingKind kind = FindingKind::kCause;
  double group_impact = 0;  // largest of this function's findings of this kind
};

using GroupKey = std::tuple<FindingKind, std::string, std::string>;  // kind, target, function

void Rank(std::vector<v1::Finding> findings, v1::Report& report) {
  const std::vector<FindingKind> kinds = KindsOf(findings);
  std::map<GroupKey, double> group_impact;
  std::vector<Ranked> ranked;
  ranked.reserve(findings.size());
  for (size_t i = 0; i < findings.size(); ++i) {
    v1::Finding& finding = findings[i];
    double& largest = group_impact[{kinds[i], finding.target(), finding.function()}];
    // What did not change, or cannot be told, has no impact to speak of.
    const bool unchanged =
        kinds[i] == FindingKind::kCannotTell || kinds[i] == FindingKind::kEquivalent;
    largest = std::max(largest, unchanged ? finding.weight() : finding.impact());
    ranked.push_back({std::move(finding), kinds[i], 0});
  }
  for (Ranked& entry : ranked) {
    entry.group_impact =
        group_impact[{entry.kind, entry.finding.target(), entry.finding.function()}];
  }
  const auto key = [](const Ranked& entry) {
    const v1::Finding& f = entry.finding;
    const bool is_arc = !f.caller().empty();
    return std::make_tuple(entry.kind, -entry.group_impact, absl::string_view(f.target()),
                           absl::string_view(f.function()), !is_arc, f.metric(), -f.impact(),
                           absl::string_view(f.caller()));
  };
  std::sort(ranked.begin(), ranked.end(),
            [&](const Ranked& a, const Ranked& b) { return key(a) < key(b); });
  for (Ranked& entry : ranked) *report.add_findings() = std::move(entry.finding);
}

}  // namespace

v1::Report CompareRuns(const ComparisonSide& base, const ComparisonSide& head,
                       const CompareOptions& options) {
  v1::Report report;
  v1::Compared& compared = *report.mutable_compared();
  *compared.mutable_base() = base.about;
  *compared.mutable_head() = head.about;
  SetTimes(base.targets, *compared.mutable_base());
  SetTimes(head.targets, *compared.mutable_head());
  for (const auto& [label, profile] : base.targets) {
    if (!head.targets.contains(label)) compared.add_vanished_targets(label);
  }

  std::vector<TargetWork> works;
  size_t judgements = 0;
  for (const auto& [label, after] : head.targets) {
    const auto found = base.targets.find(label);
    if (found == base.targets.end()) {
      compared.add_new_targets(label);
      continue;
    }
    const ComputedProfile& before = found->second;
    compared.add_targets(label);
    TargetWork work;
    work.label = label;
    work.matched = Match(before, after);
    work.totals = {before.total_samples, after.total_samples};
    if (before.dimension != after.dimension) {
      report.add_warnings(absl::StrCat(label, ": the base was sampled in ", before.dimension,
                                       ", the head in ", after.dimension,
                                       "; times are not compared"));
    } else if (before.sample_rate > 0 && after.sample_rate > 0) {
      work.times = true;
      work.scale = {before.sample_rate * static_cast<double>(work.matched.repetitions_before),
                    after.sample_rate * static_cast<double>(work.matched.repetitions_after)};
      judgements += CountTimeJudgements(work.matched, work.totals, options);
    }
    for (const auto* side : {&before, &after}) {
      for (const std::string& warning : side->warnings) {
        report.add_warnings(
            absl::StrCat(label, side == &before ? " (base): " : " (head): ", warning));
      }
    }
    works.push_back(std::move(work));
  }

  std::vector<v1::Finding> findings;
  absl::flat_hash_set<std::string> functions;
  for (TargetWork& work : works) {
    std::vector<v1::Finding> of_target = JudgeCalls(work.matched, work.totals);
    if (work.times) {
      for (v1::Finding& finding :
           JudgeTimes(work.matched, work.totals, work.scale, judgements, options)) {
        of_target.push_back(std::move(finding));
      }
    }
    for (v1::Finding& finding : of_target) {
      finding.set_target(work.label);
      finding.set_function_display(Demangle(finding.function()));
      finding.set_caller_display(Demangle(finding.caller()));
      findings.push_back(std::move(finding));
    }
    compared.set_arcs(compared.arcs() + work.matched.arcs.size());
    for (FunctionPair& function : work.matched.functions) functions.insert(function.name);
    work.matched = MatchedTarget();
  }
  compared.set_functions(functions.size());
  Rank(std::move(findings), report);
  return report;
}

void LimitFindings(v1::Report& report, size_t limit) {
  const size_t count = static_cast<size_t>(report.findings_size());
  if (count <= limit) return;
  report.mutable_findings()->DeleteSubrange(static_cast<int>(limit),
                                            static_cast<int>(count - limit));
  report.add_warnings(absl::StrCat(count - limit, " less important findings are not listed"));
}

}  // namespace gprofhub
