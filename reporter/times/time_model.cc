// A function's samples in a run are a Poisson count: n samples have the standard deviation √n.
// Its true time varies between runs as well. Memory layout, neighbours and temperature are the
// reasons. Some functions vary much, others not at all. A handful of runs says little about how
// much. So
//
//   Var(log N) = r / N          N samples in all runs of a side
//
// r says how much more the runs vary than sampling does. A function's own r is Pearson's statistic
// of the runs about their side's mean, divided by its degrees of freedom d.
//
// Empirical Bayes makes the best of few runs (Smyth, "Linear models and empirical Bayes methods",
// 2004). It was made for gene expression. The functions' true ratios are taken to be drawn from a
// scaled inverse chi-square distribution. The mean and the scatter of all log ratios give its
// typical value and its degrees of freedom d₀. A function's posterior mixes its own ratio (d
// degrees) with the typical one (d₀ degrees). Where functions differ much, d₀ is small, and each
// is judged by its own ratio. The mixture never falls below sampling's own error: a few runs that
// agree by luck make nobody sure.
//
// The effect log(after / before) is tested against a minimum effect δ, not against zero (McCarthy
// and Smyth, "TREAT", 2009). With Student's t of d + d₀ degrees,
//
//   p = P(t > (|effect| - δ) / se) + P(t > (|effect| + δ) / se)
//
// So a tiny change of a well-sampled function is no finding, however significant it is. Small
// systematic errors, such as a machine's speed half a percent wrong, make no alarms.
//
// Two builds differ in how their code and data lie in memory, and in nothing else that would show
// between runs of one build. A function's time may so differ between the sides by more than runs
// vary. Functions whose code and calls are the same show by how much (build_variance.cc). That is
// added to the error of all. Where it is known, a function whose own code changed is tested against
// a smaller minimum: the larger one only stands for what nothing else accounts for.
//
// Which p stand out is decided over all functions of all targets (discoveries.cc).
#include "reporter/times/time_model.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>
#include <limits>
#include <optional>

#include "reporter/times/build_variance.h"
#include "reporter/times/discoveries.h"

namespace gprofhub::reporter {
namespace {

// From so many degrees of freedom on, Student's t is the normal distribution.
constexpr double kManyDf = 1000;
constexpr double kPower = 0.8416;  // normal quantile of 4 times in 5

double UpperTail(double t, double df) {
  if (df >= kManyDf) return std::erfc(t / std::sqrt(2.0)) / 2;
  const boost::math::students_t_distribution<double> student(df);
  return boost::math::cdf(boost::math::complement(student, t));
}

// The value that Student's t exceeds with probability `tail`.
double UpperQuantile(double tail, double df) {
  if (df >= kManyDf) {
    return boost::math::quantile(
        boost::math::complement(boost::math::normal_distribution<double>(), tail));
  }
  return boost::math::quantile(
      boost::math::complement(boost::math::students_t_distribution<double>(df), tail));
}

double SamplesPerRun(const TimeTest& test) {
  return (test.before_samples + test.after_samples) /
         static_cast<double>(std::max<size_t>(1, test.before_runs + test.after_runs));
}

// Of run-to-run variances, as multiples of sampling's own.
struct Variation {
  double typical = 1;   // s₀
  double df = kManyDf;  // d₀
  // What is assumed beyond sampling where runs do not show it.
  double assumed = 0;
};

double Ratio(const TimeTest& test) { return test.spread / static_cast<double>(test.spread_df); }

// x with trigamma(x) = y. Newton's method solves for 1 / trigamma, which is nearly a line (Smyth
// 2004, appendix).
double InverseTrigamma(double y) {
  double x = 0.5 + 1 / y;
  for (int i = 0; i < 30; ++i) {
    const double value = boost::math::trigamma(x);
    // A difference stands for the derivative. Convergence does not depend on its last digits.
    const double slope = (boost::math::trigamma(x * 1.0001) - value) / (x * 0.0001);
    const double step = value * (1 - value / y) / slope;
    x += step;
    if (-step / x < 1e-8) break;
  }
  return x;
}

Variation EstimateVariation(const std::vector<TimeTest*>& tests, const TimeModelOptions& options) {
  std::vector<const TimeTest*> speaking;
  for (const TimeTest* test : tests) {
    if (test->spread_df > 0 && SamplesPerRun(*test) >= kEnoughSamples) speaking.push_back(test);
  }
  Variation variation;
  if (speaking.empty()) {
    variation.assumed = options.single_run_variation * options.single_run_variation;
    return variation;
  }
  if (speaking.size() < kEnoughFunctions) {
    variation.assumed = options.assumed_variation * options.assumed_variation;
    // What is assumed counts as much as eight runs' own.
    variation.df = 8;
    return variation;
  }
  double mean = 0, squares = 0, expected = 0;
  for (const TimeTest* test : speaking) {
    const double half = static_cast<double>(test->spread_df) / 2;
    const double z =
        std::log(std::max(1e-3, Ratio(*test))) - boost::math::digamma(half) + std::log(half);
    mean += z;
    squares += z * z;
    expected += boost::math::trigamma(half);
  }
  const double n = static_cast<double>(speaking.size());
  mean /= n;
  const double excess = (squares - mean * mean * n) / (n - 1) - expected / n;
  if (excess > 2.0 / kManyDf) {
    variation.df = 2 * InverseTrigamma(excess);
    variation.typical =
        std::exp(mean + boost::math::digamma(variation.df / 2) - std::log(variation.df / 2));
  } else {
    variation.typical = std::exp(mean);
  }
  return variation;
}

void Measure(TimeTest& test, const Variation& variation) {
  // Half a sample is added, so that no sample does not mean the logarithm of zero.
  const double before = test.before_samples + 0.5;
  const double after = test.after_samples + 0.5;
  test.effect = std::log(after / test.after_exposure) - std::log(before / test.before_exposure);
  const double own_df = static_cast<double>(test.spread_df);
  const double df = variation.df + own_df;
  const double trusted = variation.df / df;  // the typical ratio's weight
  const double ratio = trusted * variation.typical + (own_df > 0 ? (1 - trusted) * Ratio(test) : 0);
  const double assumed =
      trusted * variation.assumed *
      (1 / static_cast<double>(test.before_runs) + 1 / static_cast<double>(test.after_runs));
  test.df = std::min(df, kManyDf);
  test.standard_error = std::sqrt(std::max(1.0, ratio) * (1 / before + 1 / after) + assumed);
}

double LogEffect(double percent) { return std::log1p(percent / 100); }

// So many standard errors above the minimum lies the effect that stands out four times in five.
double ErrorsNeeded(const TimeTest& test) { return UpperQuantile(test.p_needed, test.df) + kPower; }

// The variance at which an effect of `percent` stands out four times in five; 0 if it never does.
double AllowedVariance(const TimeTest& test, double percent) {
  const double room = LogEffect(percent) - test.minimum;
  if (room <= 0) return 0;
  const double errors = ErrorsNeeded(test);
  return errors > 0 ? room * room / (errors * errors) : std::numeric_limits<double>::infinity();
}

}  // namespace

TimeTest MakeTimeTest(const RunExposures& runs, absl::Span<const double> speed,
                      absl::Span<const double> samples) {
  TimeTest test;
  for (size_t run = 0; run < runs.exposure.size(); ++run) {
    if (std::isnan(samples[run])) continue;
    const bool before = run < runs.before;
    (before ? test.before_samples : test.after_samples) += samples[run];
    (before ? test.before_exposure : test.after_exposure) += runs.exposure[run] * speed[run];
    ++(before ? test.before_runs : test.after_runs);
  }
  for (size_t run = 0; run < runs.exposure.size(); ++run) {
    if (std::isnan(samples[run])) continue;
    const bool before = run < runs.before;
    const double side = before ? test.before_samples : test.after_samples;
    const double exposure = before ? test.before_exposure : test.after_exposure;
    const double expected = side * runs.exposure[run] * speed[run] / exposure;
    if (expected > 0)
      test.spread += (samples[run] - expected) * (samples[run] - expected) / expected;
  }
  test.spread_df = (test.before_runs > 0 ? test.before_runs - 1 : 0) +
                   (test.after_runs > 0 ? test.after_runs - 1 : 0);
  return test;
}

void SetP(TimeTest& test) {
  const double effect = std::fabs(test.effect);
  test.p = std::min(1.0, UpperTail((effect - test.minimum) / test.standard_error, test.df) +
                             UpperTail((effect + test.minimum) / test.standard_error, test.df));
}

void MeasureEffects(const std::vector<TimeTest*>& tests, const TimeModelOptions& options) {
  const Variation variation = EstimateVariation(tests, options);
  for (TimeTest* test : tests) Measure(*test, variation);
  const std::optional<double> of_builds = EstimateBuildVariance(tests);
  for (TimeTest* test : tests) {
    test->build_variance = of_builds.value_or(0);
    test->standard_error =
        std::sqrt(test->standard_error * test->standard_error + test->build_variance);
    const bool is_edited = of_builds.has_value() && test->evidence == TimeEvidence::kChanged;
    test->minimum = LogEffect(is_edited ? options.changed_code_minimum_percent
                                        : options.minimum_effect_percent);
    SetP(*test);
  }
}

void JudgeTimeTests(const std::vector<TimeTest*>& tests, const TimeModelOptions& options) {
  MeasureEffects(tests, options);
  ControlFalseDiscoveries(tests, options.false_discovery_rate);
}

double HalfWidth95(const TimeTest& test) {
  return UpperQuantile(0.025, test.df) * test.standard_error;
}

double DetectablePercent(const TimeTest& test) {
  const double effect = test.minimum + ErrorsNeeded(test) * test.standard_error;
  return std::expm1(std::min(effect, 50.0)) * 100;
}

double MoreHeadRunsFor(const TimeTest& test, double percent) {
  const double allowed = AllowedVariance(test, percent);
  const double variance = test.standard_error * test.standard_error;
  if (variance <= allowed) return 0;
  // Each side's part is taken to go as one over its exposure: its runs, as long as they were.
  const double before = 1 / (test.before_samples + 0.5), after = 1 / (test.after_samples + 0.5);
  const double of_runs = variance - test.build_variance;
  const double of_head = of_runs * after / (before + after);
  const double rest = variance - of_head;
  if (allowed <= rest) return std::numeric_limits<double>::infinity();
  return static_cast<double>(test.after_runs) * (of_head / (allowed - rest) - 1);
}

}  // namespace gprofhub::reporter
