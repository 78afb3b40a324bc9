// A slow machine slows all functions. A run's factor is the median over functions of log(self time
// in this run / mean self time on this side).
//
// Other processes that saturate memory slow some functions only. A common factor would add noise to
// the others. So the factor is shrunk to the fraction λ for which the runs of a side agree best,
// and omitted unless they agree clearly better with it.
//
// Between the sides the factor is the weighted median of the functions' changes. It is applied if
// it exceeds its own standard error. A function's weight is capped at an eighth of the total, so
// that a true change does not pass for a slow machine. With few functions the two cannot be
// separated, and there is no factor.
#include "reporter/times/machine_speed.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/median.h"

namespace gprofhub::reporter {
namespace {

// Maximum weight of one function, as a part of the total.
constexpr double kLargestWeight = 1.0 / 8;
// Runs agree clearly better with a factor if their variance falls by this part.
constexpr double kClearGain = 0.2;
constexpr double kErrorsOfFactor = 2;

double WeightedMedian(std::vector<std::pair<double, double>>& values) {
  std::sort(values.begin(), values.end());
  double total = 0;
  for (const auto& [value, weight] : values) total += weight;
  double sum = 0;
  for (const auto& [value, weight] : values) {
    sum += weight;
    if (sum >= total / 2) return value;
  }
  return values.empty() ? 0 : values.back().first;
}

// A function with enough samples to measure machine speed.
struct SpeakingFunction {
  double samples = 0;            // over all runs
  std::vector<double> residual;  // log time in each run, minus the mean of its side
  double change = 0;             // of the sides' means; 0 without a base
};

SpeakingFunction Describe(const RunExposures& runs, absl::Span<const double> samples,
                          double total) {
  SpeakingFunction function;
  function.samples = total;
  double mean[2] = {0, 0};
  for (size_t run = 0; run < samples.size(); ++run) {
    function.residual.push_back(std::log(samples[run] / runs.exposure[run]));
    mean[run >= runs.before] += function.residual.back();
  }
  mean[0] /= std::max(1.0, static_cast<double>(runs.before));
  mean[1] /= static_cast<double>(samples.size() - runs.before);
  for (size_t run = 0; run < samples.size(); ++run) {
    function.residual[run] -= mean[run >= runs.before];
  }
  if (runs.before > 0) function.change = mean[1] - mean[0];
  return function;
}

// Logarithm of each run's slowdown relative to the mean of its side.
std::vector<double> FactorsOfRuns(const std::vector<SpeakingFunction>& functions, size_t runs) {
  std::vector<double> factors(runs, 0);
  for (size_t run = 0; run < runs; ++run) {
    std::vector<double> residuals;
    for (const SpeakingFunction& function : functions) residuals.push_back(function.residual[run]);
    factors[run] = base::Median(std::move(residuals));
  }
  double variance = 0, product = 0, squares = 0;
  for (const SpeakingFunction& function : functions) {
    for (size_t run = 0; run < runs; ++run) {
      const double residual = function.residual[run];
      variance += function.samples * residual * residual;
      product += function.samples * residual * factors[run];
      squares += function.samples * factors[run] * factors[run];
    }
  }
  const double part = squares > 0 ? std::clamp(product / squares, 0.0, 1.0) : 0;
  const double gain = part * (2 * product - part * squares);
  const bool clear = gain >= kClearGain * variance;
  for (double& factor : factors) factor = clear ? part * factor : 0;
  return factors;
}

// Logarithm of the slowdown of the head's machines.
double FactorBetweenSides(const std::vector<SpeakingFunction>& functions) {
  double all = 0;
  for (const SpeakingFunction& function : functions) all += function.samples;
  std::vector<std::pair<double, double>> changes, distances;
  double weights = 0, squares = 0;
  for (const SpeakingFunction& function : functions) {
    const double weight = std::min(function.samples, all * kLargestWeight);
    changes.emplace_back(function.change, weight);
    weights += weight;
    squares += weight * weight;
  }
  const double middle = WeightedMedian(changes);
  for (const auto& [change, weight] : changes) {
    distances.emplace_back(std::fabs(change - middle), weight);
  }
  // The median's standard error, from the median absolute deviation. 1.48 converts the deviation to
  // a standard deviation; 1.25 is the ratio of the median's error to the mean's.
  const double error = 1.48 * 1.25 * WeightedMedian(distances) * std::sqrt(squares) / weights;
  return std::fabs(middle) > kErrorsOfFactor * error ? middle : 0;
}

}  // namespace

std::vector<double> EstimateSpeedFactors(const RunExposures& runs,
                                         absl::Span<const absl::Span<const double>> samples) {
  const size_t count = runs.exposure.size();
  std::vector<double> factors(count, 1);
  std::vector<SpeakingFunction> speaking;
  for (const absl::Span<const double> function : samples) {
    double total = 0, least = kEnoughSamples;
    for (const double value : function) {
      total += value;
      least = std::min(least, value);
    }
    // Skips NaN and functions with too few samples.
    if (!(total >= kEnoughSamples * static_cast<double>(count)) || least <= 0) continue;
    speaking.push_back(Describe(runs, function, total));
  }
  if (speaking.size() < kEnoughFunctions) return factors;
  const std::vector<double> within = FactorsOfRuns(speaking, count);
  const double between = FactorBetweenSides(speaking);
  for (size_t run = 0; run < count; ++run) {
    factors[run] = std::exp(within[run] + (run < runs.before ? 0 : between));
  }
  return factors;
}

}  // namespace gprofhub::reporter
