// A function's samples in a run are a Poisson count: n samples have the standard deviation √n. Its
// true time varies between runs as well, by a coefficient of variation φ, because of memory layout,
// other processes and temperature. So, for n runs with N samples in total,
//
//   Var(log N) = 1 / N + φ² / n
//
// Most functions vary by a percent, some by a tenth. A handful of runs is little evidence for one
// function: Pearson's statistic of d runs about their side's mean is (1 + φ² N / n) χ²(d). But all
// functions together show how often each φ occurs on this machine. That is empirical Bayes with a
// prior on a grid (Kiefer and Wolfowitz, "Consistency of the maximum likelihood estimator in the
// presence of infinitely many incidental parameters", 1956), fitted by expectation maximisation. A
// hyperprior for programs in general has the weight of a few functions, so that it also works with
// few functions. A function's own runs update this to a posterior over φ.
//
// φ belongs to the function, and 1 / N does not: a function with few samples cannot hide its
// variation behind its sampling error. A prior on the ratio of both would confuse them.
//
// An effect's error is then normal with an uncertain variance: a mixture, with heavier tails than
// the normal distribution's (effect_error.h).
#include "reporter/times/run_variation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "reporter/times/machine_speed.h"

namespace gprofhub::reporter {
namespace {

// A degree of variation, its weight in the hyperprior, in functions, and its probability if no
// function has several runs. The figures come from recordings of benchmarks/verdicts, rounded up:
// functions that wait for memory vary by a quarter if other processes use it, and two runs may be
// hours apart.
struct Degree {
  double variation;
  double assumed;
  double unseen;
};
constexpr Degree kDegrees[EffectError::kParts] = {{0.005, 1, 0},    {0.01, 2, 0},   {0.02, 2, 0.1},
                                                  {0.04, 2, 0.2},   {0.08, 1, 0.2}, {0.16, 1, 0.25},
                                                  {0.32, 0.3, 0.25}};
constexpr int kRounds = 50;

using Shares = RunVariation::Shares;

// Likelihood of the test's runs under each degree, up to a factor.
Shares Likelihood(const TimeTest& test) {
  const double runs = static_cast<double>(std::max<size_t>(1, test.before_runs + test.after_runs));
  const double samples = (test.before_samples + test.after_samples) / runs;
  Shares likelihood;
  for (size_t k = 0; k < likelihood.size(); ++k) {
    const double ratio = 1 + samples * kDegrees[k].variation * kDegrees[k].variation;
    likelihood[k] =
        -static_cast<double>(test.spread_df) / 2 * std::log(ratio) - test.spread / (2 * ratio);
  }
  const double most = *std::max_element(likelihood.begin(), likelihood.end());
  for (double& value : likelihood) value = std::exp(value - most);
  return likelihood;
}

Shares Posterior(const Shares& shares, const Shares& likelihood) {
  Shares posterior;
  double sum = 0;
  for (size_t k = 0; k < shares.size(); ++k) sum += posterior[k] = shares[k] * likelihood[k];
  for (double& value : posterior) value /= sum;
  return posterior;
}

bool Tells(const TimeTest& test) {
  const double runs = static_cast<double>(test.before_runs + test.after_runs);
  return test.spread_df > 0 && test.before_samples + test.after_samples >= kEnoughSamples * runs;
}

}  // namespace

RunVariation::RunVariation(const std::vector<TimeTest*>& tests) {
  std::vector<Shares> likelihoods;
  for (const TimeTest* test : tests) {
    if (Tells(*test)) likelihoods.push_back(Likelihood(*test));
  }
  if (likelihoods.empty()) {
    for (size_t k = 0; k < shares_.size(); ++k) shares_[k] = kDegrees[k].unseen;
    return;
  }
  double functions = static_cast<double>(likelihoods.size());
  for (const Degree& degree : kDegrees) functions += degree.assumed;
  shares_.fill(1.0 / static_cast<double>(shares_.size()));
  for (int round = 0; round < kRounds; ++round) {
    Shares sums;
    for (size_t k = 0; k < sums.size(); ++k) sums[k] = kDegrees[k].assumed;
    for (const Shares& likelihood : likelihoods) {
      const Shares posterior = Posterior(shares_, likelihood);
      for (size_t k = 0; k < sums.size(); ++k) sums[k] += posterior[k];
    }
    for (size_t k = 0; k < sums.size(); ++k) shares_[k] = sums[k] / functions;
  }
}

EffectError RunVariation::ErrorOf(const TimeTest& test) const {
  const Shares posterior = Posterior(shares_, Likelihood(test));
  // Half a sample is added to avoid a division by zero.
  const double of_sampling = 1 / (test.before_samples + 0.5) + 1 / (test.after_samples + 0.5);
  const double of_runs = 1 / static_cast<double>(std::max<size_t>(1, test.before_runs)) +
                         1 / static_cast<double>(std::max<size_t>(1, test.after_runs));
  std::array<EffectError::Part, EffectError::kParts> parts;
  for (size_t k = 0; k < parts.size(); ++k) {
    const double variation = kDegrees[k].variation;
    parts[k] = {posterior[k], of_sampling + variation * variation * of_runs};
  }
  return EffectError(parts);
}

}  // namespace gprofhub::reporter
