// Judges the call counts of one target.
#pragma once

#include <vector>

#include "proto/findings.pb.h"
#include "reporter/match.h"

namespace gprofhub {

// Totals that turn samples into shares.
struct TargetTotals {
  double before_samples = 0;
  double after_samples = 0;
};

// Share of the target's samples that the function and what it calls stand for.
// A target with few samples knows little about shares: a hundred samples of
// doubt are added to its total, so that they come out small.
double ShareBefore(const FunctionPair& function, const TargetTotals& totals);
double ShareAfter(const FunctionPair& function, const TargetTotals& totals);

// One finding per function whose calls changed, and one per arc on which the
// change began. Without target and display names.
std::vector<v1::Finding> JudgeCalls(const MatchedTarget& target, const TargetTotals& totals);

}  // namespace gprofhub
