#include "reporter/comparison/group_findings.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "reporter/comparison/fold_rewrites.h"
#include "reporter/comparison/fold_toolchain.h"
#include "reporter/times/findings/describe_time.h"
#include "reporter/times/findings/moved_times.h"
#include "reporter/times/measure_times.h"
#include "reporter/times/time_model.h"

namespace gprofhub::reporter {

namespace {

// Sets a group's time from its samples; `larger_total` is the target's total.
void SetGroupTime(const TimeTest& test, bool has_times, double larger_total,
                  const TimeOptions& options, v1::Finding& finding) {
  finding.set_verdict(v1::Finding::CANNOT_TELL);
  const bool is_sampled = has_times && test.before_exposure > 0 && test.after_exposure > 0 &&
                          test.before_samples + test.after_samples >= options.minimum_samples;
  if (!is_sampled) return;
  finding.set_before(TimeBefore(test));
  finding.set_after(TimeAfter(test));
  if (test.before_samples > 0) {
    finding.set_effect_percent((finding.after() / finding.before() - 1) * 100);
  }
  finding.set_standard_error(StandardErrorOfChange(test));
  SetInterval(test, finding);
  finding.set_impact(std::min(
      1.0, std::fabs(finding.after() - finding.before()) / std::max(larger_total, 1e-300)));
  if (test.changed) {
    finding.set_verdict(test.effect > 0 ? v1::Finding::REGRESSED : v1::Finding::IMPROVED);
    finding.set_material(finding.impact() >= options.minimum_impact);
    return;
  }
  finding.set_verdict(QuietVerdict(test, options.model));
  if (finding.verdict() == v1::Finding::CANNOT_TELL) {
    finding.set_detectable_percent(DetectablePercent(test));
  }
}

}  // namespace

TargetGroups FindGroups(const MatchedTarget& target,
                        absl::Span<const profile::ComputedProfile> before,
                        absl::Span<const profile::ComputedProfile> older,
                        absl::Span<const profile::ComputedProfile> after, bool has_times,
                        const TimeOptions& options) {
  TargetGroups groups;
  groups.has_times = has_times;
  if (!target.toolchain_changes.empty()) {
    if (has_times) groups.whole = JudgeWholeTime(before, older, after, options);
    return groups;
  }
  groups.rewrites = FindRewrites(target);
  for (const Rewrite& rewrite : groups.rewrites) {
    std::vector<uint32_t> all = rewrite.stayed;
    all.insert(all.end(), rewrite.gone.begin(), rewrite.gone.end());
    all.insert(all.end(), rewrite.came.begin(), rewrite.came.end());
    groups.rewrite_times.push_back(
        has_times ? JudgeTimeTogether(target, before, older, after, all, options) : TimeTest());
  }
  return groups;
}

bool HasGroups(const MatchedTarget& target, const TargetGroups& groups) {
  return !target.toolchain_changes.empty() || !groups.rewrites.empty();
}

void FoldGroups(const MatchedTarget& target, const TargetGroups& groups, const TargetTotals& totals,
                const TimeOptions& options, std::vector<v1::Finding>& findings) {
  if (!target.toolchain_changes.empty()) {
    v1::Finding finding = FoldUnderToolchain(target, findings);
    const double larger =
        groups.has_times && groups.whole.before_exposure > 0 && groups.whole.after_exposure > 0
            ? std::max(TimeBefore(groups.whole), TimeAfter(groups.whole))
            : 0;
    SetGroupTime(groups.whole, groups.has_times, larger, options, finding);
    findings.push_back(std::move(finding));
    return;
  }
  const double before =
      std::max(1.0, totals.before_samples) / static_cast<double>(target.repetitions_before);
  const double after =
      std::max(1.0, totals.after_samples) / static_cast<double>(target.repetitions_after);
  for (size_t i = 0; i < groups.rewrites.size(); ++i) {
    v1::Finding finding = FoldUnderRewrite(target, groups.rewrites[i], totals, findings);
    // Both come from the same samples as the shares, so each side's rate cancels.
    const double change = std::fabs(finding.rewrite().share_after() * after -
                                    finding.rewrite().share_before() * before);
    SetGroupTime(groups.rewrite_times[i], groups.has_times, 1, options, finding);
    finding.set_impact(std::min(1.0, change / std::max(before, after)));
    finding.set_material(finding.material() && finding.impact() >= options.minimum_impact);
    findings.push_back(std::move(finding));
  }
}

}  // namespace gprofhub::reporter
