// Judges the call counts of one target.
#pragma once

#include <vector>

#include "proto/findings.pb.h"
#include "reporter/counts/cost_shifts.h"
#include "reporter/matching/matched_target.h"

namespace gprofhub::reporter {

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

struct CallJudgement {
  std::vector<v1::Finding> findings;  // without target and display names
  // By function: whether an arc from it is where a change began, or one to it, or
  // it follows from one.
  std::vector<bool> touched;
  bool any_material = false;  // among the findings
  // By function: how its cost moved, as found before.
  CostShifts shifts;
};

// One finding per function whose calls changed, one per arc on which the change
// began, and one per function that only moved. A finding is material from
// `minimum_impact` (a share of the target's CPU, without samples of its calls) on.
CallJudgement JudgeCalls(const MatchedTarget& target, const TargetTotals& totals, CostShifts shifts,
                         double minimum_impact);

}  // namespace gprofhub::reporter
