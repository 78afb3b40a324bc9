// Variation of functions' times from run to run, beyond sampling error. The essay is in
// run_variation.cc.
#pragma once

#include <array>
#include <vector>

#include "reporter/times/effect_error.h"
#include "reporter/times/time_test.h"

namespace gprofhub::reporter {

// Prior probabilities of the degrees of variation among the functions of a comparison.
class RunVariation {
 public:
  // One entry per degree of variation.
  using Shares = std::array<double, EffectError::kParts>;

  // Estimated from the tests' runs. With few tests, or single runs, the hyperprior dominates.
  explicit RunVariation(const std::vector<TimeTest*>& tests);

  // Error of the test's effect, without the variance between builds.
  EffectError ErrorOf(const TimeTest& test) const;

 private:
  Shares shares_;  // they add up to 1
};

}  // namespace gprofhub::reporter
