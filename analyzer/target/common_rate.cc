// A profile's samples at several rates can be summed in two ways, for two uses.
//
// A listing prints gmon histograms, whose bins are integers, and GNU gprof must read the same
// seconds from them. So every bin is scaled to a common multiple of all rates (ExactRate). Times
// are exact, but the number of samples is then no longer the number of received signals.
//
// A statistical test needs that number: √N is the expected error of N samples. n samples that stand
// for s each have the variance n s^2 (they are Poisson counts), where s is 1/r at rate r, or w/r if
// a late signal stands for w periods. A total time T of variance V is as precise as N = T^2 / V
// samples of one kind (Kish's effective sample size). Their rate is N / T = T / V (ChooseRate).
// Counts at that rate are fractions, which a histogram cannot hold.
//
// With a single rate and no late signals both results equal that rate.
#include "analyzer/target/common_rate.h"

#include <algorithm>
#include <numeric>

#include "absl/status/status.h"

namespace gprofhub::analyzer {

absl::StatusOr<uint32_t> ExactRate(const std::set<uint32_t>& rates) {
  uint64_t common = 1;
  for (const uint32_t rate : rates) {
    common = std::lcm(common, uint64_t{std::max(rate, 1u)});
    if (common > UINT32_MAX) {
      return absl::InvalidArgumentError(
          "its profiles were sampled at too many different rates to be listed together");
    }
  }
  return static_cast<uint32_t>(common);
}

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
