// How much functions' times vary from run to run, beyond what sampling makes. The essay is in
// run_variation.cc.
#pragma once

#include <array>
#include <vector>

#include "reporter/times/effect_error.h"
#include "reporter/times/time_test.h"

namespace gprofhub::reporter {

// How often each degree of variation occurs among the functions of a comparison.
class RunVariation {
 public:
  // One for each degree of variation.
  using Shares = std::array<double, EffectError::kParts>;

  // Learns it from the tests' runs. Few tests, or single runs, leave what is assumed of any
  // program.
  explicit RunVariation(const std::vector<TimeTest*>& tests);

  // Of the test's effect, what builds differ by left out.
  EffectError ErrorOf(const TimeTest& test) const;

 private:
  Shares shares_;  // they add up to 1
};

}  // namespace gprofhub::reporter
