// Controls false discoveries among many tests of times.
#pragma once

#include <vector>

#include "reporter/times/time_test.h"

namespace gprofhub::reporter {

// Sets TimeTest::changed and p_needed. Of those with `changed`, at most the fraction `rate` is
// chance. Tests of functions that are too short are never significant, and do not raise the bar for
// others.
void ControlFalseDiscoveries(const std::vector<TimeTest*>& tests, double rate);

}  // namespace gprofhub::reporter
