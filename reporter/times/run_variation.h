// How much a function's time varies between runs of one build.
#pragma once

#include <vector>

#include "reporter/times/time_test.h"

namespace gprofhub::reporter {

// Of all functions, the part that varies by each of the coefficients of variation that are told
// apart (run_variation.cc).
using VariationWeights = std::vector<double>;

// What the runs of all functions say. If no side of any function has two runs:
// `single_run_variation` is assumed for all.
VariationWeights EstimateRunVariation(const std::vector<TimeTest*>& tests,
                                      double single_run_variation);

// The error of the function's effect: what its own runs say, and where these say little, those of
// all.
std::vector<ErrorPart> ErrorOf(const TimeTest& test, const VariationWeights& all);

}  // namespace gprofhub::reporter
