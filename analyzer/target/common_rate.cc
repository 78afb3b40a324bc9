// A sample taken at rate r stands for 1/r of the unit. A timer's signal may come late and
// stand for w periods; then it stands for w/r. Times add up as they are. But a reader also
// needs to know how precise the sum is.
//
// Samples are Poisson counts: n of them that stand for s each have the variance n s^2. A
// total time T of variance V is as precise as N = T^2 / V samples of one kind (Kish's
// effective sample size). Their rate is N / T = T / V. Samples are counted at that rate, and
// so √N is the expected error of the whole. With one rate and no late signals it is that
// very rate.
#include "analyzer/target/common_rate.h"

#include <algorithm>

namespace gprofhub::analyzer {

double CommonRate::Weight(const std::string& dimension_of_histogram,
                          uint32_t rate_of_histogram) const {
  if (dimension_of_histogram != dimension) return 0;
  return rate / std::max(rate_of_histogram, 1u);
}

CommonRate ChooseRate(const std::map<std::pair<std::string, uint32_t>, Sampling>& sampling) {
  CommonRate common;
  std::map<std::string, double> by_dimension;
  for (const auto& [key, one] : sampling) by_dimension[key.first] += one.samples;
  double most = -1;
  double all = 0;
  for (const auto& [dimension, samples] : by_dimension) {
    all += samples;
    if (samples <= most) continue;
    most = samples;
    common.dimension = dimension;
  }
  common.left_out = by_dimension.empty() ? 0 : all - most;

  double time = 0;
  double variance = 0;
  bool is_uniform = true;
  double rate_sampled = 0;  // of profiles with samples
  for (const auto& [key, one] : sampling) {
    if (key.first != common.dimension) continue;
    const double rate = std::max(key.second, 1u);
    common.rate = std::max(common.rate, rate);
    if (one.periods <= 0) continue;
    if (rate_sampled != 0) is_uniform = false;
    rate_sampled = rate;
    const double samples = std::clamp(one.samples, 1.0, one.periods);
    if (samples < one.periods) is_uniform = false;
    time += one.periods / rate;
    variance += one.periods / rate * (one.periods / rate) / samples;
  }
  if (rate_sampled != 0) common.rate = is_uniform ? rate_sampled : time / variance;
  return common;
}

}  // namespace gprofhub::analyzer
