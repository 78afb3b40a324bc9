// Which of many tests of times stand out.
#pragma once

#include <vector>

#include "reporter/times/time_test.h"

namespace gprofhub::reporter {

// Fills in TimeTest::changed and p_needed. Of those that change, at most the part `rate` is chance.
// Tests that do not matter never stand out, and do not raise the bar for others.
void ControlFalseDiscoveries(const std::vector<TimeTest*>& tests, double rate);

}  // namespace gprofhub::reporter
