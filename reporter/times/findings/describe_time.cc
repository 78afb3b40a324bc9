#include "reporter/times/findings/describe_time.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "reporter/findings/findings.h"
#include "reporter/times/findings/moved_times.h"
#include "reporter/times/time_model.h"

namespace gprofhub::reporter {
namespace {

// Number of standard errors from which an effect is worth more runs.
constexpr double kErrorsOfDoubt = 1.5;

uint32_t WholeRuns(double runs) { return static_cast<uint32_t>(std::min(1e6, std::ceil(runs))); }

// The runtime counts instructions in millions.
void CountSingleOnes(v1::Finding& instructions) {
  constexpr double kMillion = 1e6;
  instructions.set_before(instructions.before() * kMillion);
  instructions.set_after(instructions.after() * kMillion);
  instructions.set_standard_error(instructions.standard_error() * kMillion);
}

// The effect, in percent, that more runs must prove or exclude: the observed one, if chance rarely
// explains it.
double EffectInDoubt(const TimeTest& test, const TimeModelOptions& options) {
  const double least = 2 * options.minimum_effect_percent;
  if (test.effect < kErrorsOfDoubt * StandardError(test)) return least;
  return std::max(least, std::expm1(std::min(test.effect, 50.0)) * 100);
}

double WeightOf(const FunctionPair& function, const TargetTotals& totals) {
  return std::max(ShareBefore(function, totals), ShareAfter(function, totals));
}

}  // namespace

v1::Finding::Verdict QuietVerdict(const TimeTest& test, const TimeModelOptions& options) {
  const double least = std::log1p(-options.minimum_effect_percent / 100);
  const double most = std::log1p(options.minimum_effect_percent / 100);
  return IsWithin95(test, least, most) ? v1::Finding::EQUIVALENT : v1::Finding::CANNOT_TELL;
}

void SetInterval(const TimeTest& test, v1::Finding& finding) {
  const double half = HalfWidth95(test);
  finding.set_interval_low_percent(std::expm1(test.effect - half) * 100);
  finding.set_interval_high_percent(std::expm1(std::min(50.0, test.effect + half)) * 100);
}

std::optional<QuietTime> AsQuiet(const JudgedTimes& judged, const FunctionTime& time) {
  if (time.test.changed) return std::nullopt;
  QuietTime quiet = {&time, QuietVerdict(time.test, judged.options.model),
                     WeightOf(judged.target.functions[time.function], judged.totals)};
  if (quiet.verdict != v1::Finding::CANNOT_TELL) return quiet;
  // The increase, as a logarithm, that would be material.
  const double matters = std::log1p(kLeastCpuShare / std::max(quiet.weight, 1e-300));
  if (IsWithin95(time.test, -INFINITY, matters)) return quiet;
  const double in_doubt = EffectInDoubt(time.test, judged.options.model);
  if (HeadRunsWouldShow(time.test, in_doubt, kFewRuns)) return std::nullopt;
  return quiet;
}

v1::Finding DescribeTime(const JudgedTimes& judged, const FunctionTime& time) {
  const FunctionPair& function = judged.target.functions[time.function];
  const TimeOptions& options = judged.options;
  const TimeTest& test = time.test;
  v1::Finding finding;
  finding.set_metric(time.metric);
  finding.set_function(std::string(function.name));
  const FunctionSide& side = function.after.present() ? function.after : function.before;
  finding.mutable_site()->set_file(std::string(side.file));
  finding.mutable_site()->set_line(side.line);
  finding.set_before(TimeBefore(test));
  finding.set_after(TimeAfter(test));
  double change = finding.after() - finding.before();
  if (time.pooled_targets > 0) {
    change = finding.before() * std::expm1(test.effect);
    finding.set_pooled_targets(time.pooled_targets);
  }
  if (test.before_samples > 0) finding.set_effect_percent(change / finding.before() * 100);
  finding.set_standard_error(StandardErrorOfChange(test));
  SetInterval(test, finding);
  finding.set_weight(WeightOf(function, judged.totals));
  const double all = time.metric == v1::Finding::EVENT_INSTRUCTIONS
                         ? judged.times.larger_instructions
                         : judged.times.larger_total;
  finding.set_impact(std::min(1.0, std::fabs(change) / std::max(all, 1e-300)));
  if (test.changed && judged.calls.chance[time.function]) {
    finding.set_verdict(v1::Finding::CANNOT_TELL);
    finding.set_unexplained(true);
  } else if (test.changed) {
    finding.set_verdict(test.effect > 0 ? v1::Finding::REGRESSED : v1::Finding::IMPROVED);
    finding.set_material(finding.impact() >= options.minimum_impact);
  } else {
    finding.set_verdict(QuietVerdict(test, options.model));
  }
  if (finding.verdict() == v1::Finding::CANNOT_TELL && !finding.unexplained()) {
    finding.set_detectable_percent(DetectablePercent(test));
    finding.set_more_runs_needed(
        WholeRuns(MoreHeadRunsFor(test, EffectInDoubt(test, options.model))));
  }
  // Estimated times do not raise an alarm.
  if (time.metric == v1::Finding::TOTAL_TIME) {
    finding.set_measured(judged.times.totals_measured);
    if (!judged.times.totals_measured) finding.set_material(false);
  }
  if (finding.metric() == v1::Finding::INSTRUCTIONS) CountSingleOnes(finding);
  return finding;
}

}  // namespace gprofhub::reporter
