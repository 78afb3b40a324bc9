// A function's samples in a run are a Poisson count: n samples have the standard deviation √n. Its
// true time varies between runs as well. Memory, neighbours and temperature are the reasons. Some
// functions vary much, most hardly at all. With the coefficient of variation c and m samples a run,
// a run's count has the variance m + c²·m², and Pearson's statistic of the runs about their side's
// mean, of d degrees of freedom, is
//
//   X ~ (1 + c²·m) · χ²(d)
//
// A handful of runs says little about c. Empirical Bayes makes the best of it: the other functions
// say which c are common. Nothing is assumed about their distribution but a grid of values. Its
// weights are those under which all functions' X are likeliest (expectation maximisation; the idea
// is Robbins', "An empirical Bayes approach to statistics", 1956; for variances see Lu and
// Stephens, "Variance adaptive shrinkage", 2016). A function's own X then says which of the common
// c is its own. So its error is a mixture of normal ones: mostly narrow, with the tail that a
// function needs of which a few runs agree by chance.
//
// One shared ratio of the runs' variance to sampling's, with Student's t, was used before. It took
// much from functions of few samples: for them it hardly matters how c is distributed, because
// sampling is most of their error; but functions of many samples, in which some c² · m are large,
// made the shared ratio uncertain.
#include "reporter/times/run_variation.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

#include "reporter/times/machine_speed.h"

namespace gprofhub::reporter {
namespace {

// Values of the grid, and how many functions are assumed to have been seen with each. Few functions
// say little, and then these do.
struct Prior {
  double variation;
  double functions;
};
constexpr Prior kPrior[] = {{0, 0.5},     {0.01, 0.5},  {0.02, 0.4}, {0.03, 0.3},
                            {0.045, 0.2}, {0.07, 0.15}, {0.1, 0.1},  {0.15, 0.06},
                            {0.25, 0.03}, {0.4, 0.02},  {0.6, 0.01}, {0.9, 0.003}};
constexpr size_t kValues = std::size(kPrior);
constexpr int kRounds = 60;

double SamplesPerRun(const TimeTest& test) {
  return (test.before_samples + test.after_samples) /
         static_cast<double>(std::max<size_t>(1, test.before_runs + test.after_runs));
}

// Likelihoods of the grid's values, up to a factor.
std::vector<double> Likelihoods(const TimeTest& test) {
  const double d = static_cast<double>(test.spread_df), m = SamplesPerRun(test);
  std::vector<double> logs;
  for (const Prior& prior : kPrior) {
    const double ratio = 1 + prior.variation * prior.variation * m;
    logs.push_back(-d / 2 * std::log(ratio) - test.spread / (2 * ratio));
  }
  const double most = *std::max_element(logs.begin(), logs.end());
  for (double& log : logs) log = std::exp(log - most);
  return logs;
}

std::vector<double> Posterior(const std::vector<double>& likelihoods,
                              const VariationWeights& weights) {
  std::vector<double> posterior;
  double sum = 0;
  for (size_t i = 0; i < kValues; ++i) {
    posterior.push_back(likelihoods[i] * weights[i]);
    sum += posterior.back();
  }
  for (double& part : posterior) part /= sum;
  return posterior;
}

VariationWeights Normalized(VariationWeights weights) {
  double sum = 0;
  for (const double weight : weights) sum += weight;
  for (double& weight : weights) weight /= sum;
  return weights;
}

VariationWeights Nearest(double variation) {
  size_t nearest = 0;
  for (size_t i = 1; i < kValues; ++i) {
    const double distance = std::fabs(kPrior[i].variation - variation);
    if (distance < std::fabs(kPrior[nearest].variation - variation)) nearest = i;
  }
  VariationWeights weights(kValues, 0);
  weights[nearest] = 1;
  return weights;
}

}  // namespace

VariationWeights EstimateRunVariation(const std::vector<TimeTest*>& tests,
                                      double single_run_variation) {
  bool has_runs = false;
  std::vector<std::vector<double>> likelihoods;
  for (const TimeTest* test : tests) {
    has_runs |= test->spread_df > 0;
    if (test->spread_df > 0 && SamplesPerRun(*test) >= kEnoughSamples) {
      likelihoods.push_back(Likelihoods(*test));
    }
  }
  if (!has_runs) return Nearest(single_run_variation);
  VariationWeights prior;
  for (const Prior& value : kPrior) prior.push_back(value.functions);
  VariationWeights weights = Normalized(prior);
  for (int round = 0; round < kRounds; ++round) {
    VariationWeights next = prior;
    for (const std::vector<double>& of_one : likelihoods) {
      const std::vector<double> posterior = Posterior(of_one, weights);
      for (size_t i = 0; i < kValues; ++i) next[i] += posterior[i];
    }
    weights = Normalized(std::move(next));
  }
  return weights;
}

std::vector<ErrorPart> ErrorOf(const TimeTest& test, const VariationWeights& all) {
  // Half a sample is added, so that no sample is not certain to be none.
  const double sampling = 1 / (test.before_samples + 0.5) + 1 / (test.after_samples + 0.5);
  const double per_run = 1 / static_cast<double>(std::max<size_t>(1, test.before_runs)) +
                         1 / static_cast<double>(std::max<size_t>(1, test.after_runs));
  const std::vector<double> posterior = Posterior(Likelihoods(test), all);
  std::vector<ErrorPart> parts;
  for (size_t i = 0; i < kValues; ++i) {
    const double variance = kPrior[i].variation * kPrior[i].variation;
    if (posterior[i] > 0) parts.push_back({posterior[i], sampling + variance * per_run});
  }
  return parts;
}

}  // namespace gprofhub::reporter
