// Judges the call counts of one target.
#pragma once

#include <optional>
#include <vector>

#include "proto/findings.pb.h"
#include "reporter/counts/call_costs.h"
#include "reporter/counts/change_costs.h"
#include "reporter/counts/change_origins.h"
#include "reporter/counts/code_evidence.h"
#include "reporter/counts/judge_count.h"
#include "reporter/matching/matched_target.h"
#include "reporter/shifts/moved_calls.h"

namespace gprofhub::reporter {

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
  // By function: whether its calls differ by chance, or one run is all there is to its time and no
  // code that changed can be the reason of it.
  std::vector<bool> chance;
  bool any_material = false;  // among the findings
  // By function: how its cost moved, as found before.
  CostShifts shifts;
};

// Judges the counts of one target. First all targets' noise is collected, then each is judged.
class CallJudge {
 public:
  // `target`, `totals` and `costs` outlive it. A finding is material from `minimum_impact` (a
  // share of the target's CPU, without samples of its calls) on.
  CallJudge(const MatchedTarget& target, const TargetTotals& totals, const CallCosts& costs,
            double minimum_impact);

  // Adds the functions whose calls differ though no code that changed can be the reason.
  void AddNoise(NoisyFunctions& noisy) const;

  // One finding per function whose calls changed, one per arc on which the change began, and one
  // per function that only moved. What differs by chance: only where that began.
  CallJudgement Run(const NoisyFunctions& noisy, CostShifts shifts);

 private:
  std::vector<bool> WhatIsApart() const;
  bool IsQuantity(const ArcPair& arc) const;

  const MatchedTarget& target_;
  const TargetTotals& totals_;
  const CallCosts& costs_;
  const double minimum_impact_;
  const CodeEvidence evidence_;
  std::vector<CountChange> changes_;      // by function
  std::vector<CountChange> arc_changes_;  // by arc
  std::optional<ChangeOrigins> origins_;
};

}  // namespace gprofhub::reporter
