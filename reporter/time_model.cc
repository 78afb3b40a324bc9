// A function's samples in a run are a Poisson count: n samples, standard deviation
// √n. Between runs its true time varies as well (memory layout, neighbours,
// temperature), by a coefficient of variation φ½ that differs from function to
// function and is poorly known from a handful of runs. So
//
//   Var(log N) = 1/N + φ/R          N samples in R runs
//
// and φ is estimated by empirical Bayes, as for gene expression (Smyth, "Linear
// models and empirical Bayes methods", 2004; Robinson and Smyth's dispersion
// shrinkage, 2007): one typical φ₀ of all functions is found such that the median
// of the observed spread (Pearson's statistic of the runs about their side's mean)
// is what it should be; each function's own spread, relative to that, is taken to
// be drawn from a scaled inverse chi-square whose degrees of freedom d₀ follow
// from how much these ratios scatter; the posterior mean mixes the function's own
// ratio (d degrees) with 1 (d₀ degrees). It never falls below Poisson: a few runs
// that agree by luck make nobody sure.
//
// The effect log(after / before) is then tested against a minimum effect δ, not
// against zero (McCarthy and Smyth, "TREAT", 2009):
//
//   p = P(t > (|effect| - δ) / se) + P(t > (|effect| + δ) / se)
//
// with Student's t of d + d₀ degrees. A tiny change of a well-sampled function is
// thereby no finding however significant, and small systematic errors (a machine's
// speed half a percent wrong) make no alarms. Which of all p stand out is decided
// by Benjamini and Hochberg's step-up rule over all functions of all targets.
#include "reporter/time_model.h"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>
#include <map>
#include <utility>

#include "reporter/median.h"

namespace gprofhub {
namespace {

// From so many degrees of freedom on, Student's t is the normal distribution.
constexpr double kManyDf = 1000;
// No machine repeats a time better than this.
constexpr double kLeastVariation = 0.005;
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

struct Variation {
  double phi = 0;       // φ₀
  double df = kManyDf;  // d₀
};

double Ratio(const TimeTest& test, double phi) {
  return test.spread / static_cast<double>(test.spread_df) / (1 + phi * SamplesPerRun(test));
}

// x with trigamma(x) = y, by Newton's method on 1 / trigamma, which is nearly a
// line (Smyth 2004, appendix).
double InverseTrigamma(double y) {
  double x = 0.5 + 1 / y;
  for (int i = 0; i < 30; ++i) {
    const double value = boost::math::trigamma(x);
    // The derivative, by a difference: convergence does not depend on its last digits.
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
    variation.phi = options.single_run_variation * options.single_run_variation;
    return variation;
  }
  if (speaking.size() < kEnoughFunctions) {
    variation.phi = options.assumed_variation * options.assumed_variation;
    // What is assumed counts as much as eight runs' own.
    variation.df = 8;
    return variation;
  }
  std::map<size_t, double> middles;  // medians of chi-square / df
  for (const TimeTest* test : speaking) {
    const auto [middle, inserted] = middles.try_emplace(test->spread_df, 0);
    if (!inserted) continue;
    const double df = static_cast<double>(test->spread_df);
    middle->second =
        boost::math::quantile(boost::math::chi_squared_distribution<double>(df), 0.5) / df;
  }
  const auto median_ratio = [&](double phi) {
    std::vector<double> ratios;
    for (const TimeTest* test : speaking) {
      ratios.push_back(Ratio(*test, phi) / middles.at(test->spread_df));
    }
    return Median(std::move(ratios));
  };
  double low = kLeastVariation * kLeastVariation;
  double high = 1;
  if (median_ratio(low) <= 1) {
    high = low;
  } else {
    for (int i = 0; i < 40; ++i) {
      const double middle = std::sqrt(low * high);
      (median_ratio(middle) > 1 ? low : high) = middle;
    }
  }
  variation.phi = high;

  double mean = 0, squares = 0, expected = 0;
  for (const TimeTest* test : speaking) {
    const double z = std::log(std::max(1e-3, Ratio(*test, variation.phi)));
    mean += z;
    squares += z * z;
    expected += boost::math::trigamma(static_cast<double>(test->spread_df) / 2);
  }
  const double n = static_cast<double>(speaking.size());
  const double excess = (squares - mean * mean / n) / (n - 1) - expected / n;
  variation.df = excess <= 2.0 / kManyDf ? kManyDf : 2 * InverseTrigamma(excess);
  return variation;
}

void Judge(TimeTest& test, const Variation& variation, double minimum) {
  // Half a sample more, so that none is no logarithm of zero.
  const double before = test.before_samples + 0.5;
  const double after = test.after_samples + 0.5;
  test.effect = std::log(after / test.after_exposure) - std::log(before / test.before_exposure);
  const double own_df = static_cast<double>(test.spread_df);
  double ratio = 1;
  test.df = variation.df;
  if (own_df > 0) {
    ratio = (variation.df + own_df * Ratio(test, variation.phi)) / (variation.df + own_df);
    test.df += own_df;
  }
  test.df = std::min(test.df, kManyDf);
  const double poisson = 1 / before + 1 / after;
  const double runs = variation.phi / static_cast<double>(test.before_runs) +
                      variation.phi / static_cast<double>(test.after_runs);
  test.standard_error = std::sqrt(std::max(poisson, ratio * (poisson + runs)));
  test.p = std::min(
      1.0, UpperTail((std::fabs(test.effect) - minimum) / test.standard_error, test.df) +
               UpperTail((std::fabs(test.effect) + minimum) / test.standard_error, test.df));
}

double LogEffect(double percent) { return std::log1p(percent / 100); }

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

double JudgeTimeTests(const std::vector<TimeTest*>& tests, const TimeModelOptions& options) {
  const double minimum = LogEffect(options.minimum_effect_percent);
  const Variation variation = EstimateVariation(tests, options);
  for (TimeTest* test : tests) Judge(*test, variation, minimum);

  std::vector<TimeTest*> by_p = tests;
  std::stable_sort(by_p.begin(), by_p.end(),
                   [](const TimeTest* a, const TimeTest* b) { return a->p < b->p; });
  const double m = static_cast<double>(std::max<size_t>(1, by_p.size()));
  size_t found = 0;
  for (size_t i = 0; i < by_p.size(); ++i) {
    if (by_p[i]->p <= options.false_discovery_rate * static_cast<double>(i + 1) / m) found = i + 1;
  }
  for (size_t i = 0; i < found; ++i) by_p[i]->changed = true;
  return std::min(0.5, options.false_discovery_rate * static_cast<double>(found + 1) / m);
}

double HalfWidth95(const TimeTest& test) {
  return UpperQuantile(0.025, test.df) * test.standard_error;
}

double DetectablePercent(const TimeTest& test, double p, const TimeModelOptions& options) {
  const double effect = LogEffect(options.minimum_effect_percent) +
                        (UpperQuantile(p, test.df) + kPower) * test.standard_error;
  return std::expm1(std::min(effect, 50.0)) * 100;
}

double RunsFactorFor(const TimeTest& test, double p, double percent,
                     const TimeModelOptions& options) {
  const double room = LogEffect(percent) - LogEffect(options.minimum_effect_percent);
  const double needed = (UpperQuantile(p, test.df) + kPower) * test.standard_error;
  if (room <= 0 || needed <= room) return 1;
  // Every part of the variance is divided by the number of runs.
  return (needed / room) * (needed / room);
}

}  // namespace gprofhub
