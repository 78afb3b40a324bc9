// How much times differ between two builds beyond how they vary between runs.
#pragma once

#include <optional>
#include <vector>

#include "reporter/times/time_test.h"

namespace gprofhub::reporter {

// The variance of effects, from functions whose code and calls are the same on both sides. Of the
// tests, effects and standard errors are filled in, builds left out. Nothing where too few such
// functions are known.
std::optional<double> EstimateBuildVariance(const std::vector<TimeTest*>& tests);

}  // namespace gprofhub::reporter
