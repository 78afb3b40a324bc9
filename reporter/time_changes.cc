// Whether a sampled time changed.
//
// A function's samples n are a Poisson count: standard deviation √n. With b and
// a samples before and after, scaled to time per execution, the ratio of the
// two is judged on the logarithm, where its error is symmetric:
//     log ratio ± z · √(1/b + 1/a)
// (half a sample is added to both counts, so that none is no division by zero).
//
// REGRESSED or IMPROVED: the ratio is at least CompareOptions::sigma standard
// errors from 1, still unlikely when asked of all functions of the comparison
// together (Bonferroni), and not smaller than the minimum effect. EQUIVALENT:
// the whole 95% interval lies within the minimum effect. Everything else is
// CANNOT_TELL, an answer of its own.
//
// What a function inherits from those it calls is shared out by call counts
// (the assumption of gprof's paper), so a total time is estimated: its samples
// are taken as Poisson too, which knows nothing of the sharing's own error.
// The expected run-to-run variation beyond Poisson needs several runs, and is
// not known here.
#include "reporter/time_changes.h"

#include <algorithm>
#include <cmath>

namespace gprofhub {
namespace {

constexpr double kZ95 = 1.959964;

struct Samples {
  double before;
  double after;
};

Samples SamplesOf(const FunctionPair& function, v1::Finding::Metric metric) {
  Samples samples{function.before.self_samples, function.after.self_samples};
  if (metric == v1::Finding::TOTAL_TIME) {
    samples.before += function.before.child_samples;
    samples.after += function.after.child_samples;
  }
  return samples;
}

bool WorthJudging(const FunctionPair& function, v1::Finding::Metric metric,
                  const TargetTotals& totals, const CompareOptions& options) {
  // What is new or gone has a finding that says so.
  if (!function.before.present || !function.after.present) return false;
  if ((function.before.calls == 0) != (function.after.calls == 0)) return false;
  if (metric == v1::Finding::TOTAL_TIME && function.before.child_samples == 0 &&
      function.after.child_samples == 0) {
    return false;
  }
  const Samples samples = SamplesOf(function, metric);
  if (std::max(samples.before, samples.after) < options.minimum_samples) return false;
  return (totals.before_samples > 0 &&
          samples.before >= options.minimum_share * totals.before_samples) ||
         (totals.after_samples > 0 &&
          samples.after >= options.minimum_share * totals.after_samples);
}

constexpr v1::Finding::Metric kMetrics[] = {v1::Finding::SELF_TIME, v1::Finding::TOTAL_TIME};

v1::Finding Judge(const FunctionPair& function, v1::Finding::Metric metric,
                  const TargetTotals& totals, const TimeScale& scale, size_t judgements,
                  const CompareOptions& options) {
  const Samples samples = SamplesOf(function, metric);
  v1::Finding finding;
  finding.set_metric(metric);
  finding.set_function(function.name);
  finding.mutable_site()->set_file(function.after.file);
  finding.mutable_site()->set_line(function.after.line);
  finding.set_before(samples.before / scale.before);
  finding.set_after(samples.after / scale.after);
  if (samples.before > 0) {
    finding.set_effect_percent((finding.after() / finding.before() - 1) * 100);
  }
  finding.set_standard_error(std::hypot(std::sqrt(std::max(1.0, samples.before)) / scale.before,
                                        std::sqrt(std::max(1.0, samples.after)) / scale.after));

  const double before = samples.before + 0.5;
  const double after = samples.after + 0.5;
  const double log_ratio = std::log((after / scale.after) / (before / scale.before));
  const double error = std::sqrt(1 / before + 1 / after);
  finding.set_interval_low_percent(std::expm1(log_ratio - kZ95 * error) * 100);
  finding.set_interval_high_percent(std::expm1(log_ratio + kZ95 * error) * 100);

  const double z = std::fabs(log_ratio) / error;
  const double chance = std::erfc(z / std::sqrt(2.0));
  const double effect = std::fabs(std::expm1(log_ratio)) * 100;
  const bool stands_out = z >= options.sigma && chance * static_cast<double>(judgements) <=
                                                    options.false_alarm_probability;
  if (stands_out && effect >= options.minimum_effect_percent) {
    finding.set_verdict(log_ratio > 0 ? v1::Finding::REGRESSED : v1::Finding::IMPROVED);
  } else if (finding.interval_low_percent() >= -options.minimum_effect_percent &&
             finding.interval_high_percent() <= options.minimum_effect_percent) {
    finding.set_verdict(v1::Finding::EQUIVALENT);
  } else {
    finding.set_verdict(v1::Finding::CANNOT_TELL);
  }

  finding.set_weight(std::max(ShareBefore(function, totals), ShareAfter(function, totals)));
  const double larger_total =
      std::max(totals.before_samples / scale.before, totals.after_samples / scale.after);
  finding.set_impact(std::min(
      1.0, std::fabs(finding.after() - finding.before()) / std::max(larger_total, 1e-300)));
  return finding;
}

}  // namespace

size_t CountTimeJudgements(const MatchedTarget& target, const TargetTotals& totals,
                           const CompareOptions& options) {
  size_t count = 0;
  for (const FunctionPair& function : target.functions) {
    for (const v1::Finding::Metric metric : kMetrics) {
      count += WorthJudging(function, metric, totals, options);
    }
  }
  return count;
}

std::vector<v1::Finding> JudgeTimes(const MatchedTarget& target, const TargetTotals& totals,
                                    const TimeScale& scale, size_t judgements,
                                    const CompareOptions& options) {
  std::vector<v1::Finding> findings;
  for (const FunctionPair& function : target.functions) {
    for (const v1::Finding::Metric metric : kMetrics) {
      if (!WorthJudging(function, metric, totals, options)) continue;
      findings.push_back(Judge(function, metric, totals, scale, judgements, options));
    }
  }
  return findings;
}

double DetectablePercent(const v1::Finding& finding, const CompareOptions& options) {
  // The interval's half width on the logarithm is kZ95 standard errors.
  const double half_width =
      std::log((100 + finding.interval_high_percent()) / (100 + finding.interval_low_percent())) /
      2;
  return std::max(options.minimum_effect_percent,
                  std::expm1(options.sigma / kZ95 * half_width) * 100);
}

}  // namespace gprofhub
