// How much functions' times vary from run to run, beyond what sampling makes. The essay is in
// run_variation.cc.
#pragma once

#include <vector>

#include "reporter/times/time_test.h"

namespace gprofhub::reporter {

// How often each degree of variation occurs among the functions of a comparison.
class RunVariation {
 public:
  // Learns it from the tests' runs. Few tests, or single runs, leave what is assumed of any program.
  explicit RunVariation(const std::vector<TimeTest*>& tests);

  // Fills in the standard error of the test's effect and the degrees of freedom of its Student's t.
  void SetError(TimeTest& test) const;

 private:
  std::vector<double> shares_;  // of the degrees; they add up to 1
};

}  // namespace gprofhub::reporter
