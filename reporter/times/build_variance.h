// Variance of times between two builds, beyond that between runs.
#pragma once

#include <optional>
#include <vector>

#include "reporter/times/time_test.h"

namespace gprofhub::reporter {

// The variance of effects, from functions whose code and calls are the same on both sides. The
// tests must have effects and standard errors, without the variance between builds. Nothing if
// there are too few such functions.
std::optional<double> EstimateBuildVariance(const std::vector<TimeTest*>& tests);

}  // namespace gprofhub::reporter
