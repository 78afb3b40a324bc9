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

// Total time of the function, as a share of the target's samples. For a target with few samples
// shares are imprecise: a hundred pseudo-samples are added to its total, so that they come out
// small.
double ShareBefore(const FunctionPair& function, const TargetTotals& totals);
double ShareAfter(const FunctionPair& function, const TargetTotals& totals);

struct CallJudgement {
  std::vector<v1::Finding> findings;  // without target and display names
  // By function: whether a change began on one of its arcs, outgoing or incoming, or it is a side
  // effect of one.
  std::vector<bool> touched;
  // By function: whether its calls vary by chance, or its time has only one run and no changed code
  // can explain it.
  std::vector<bool> chance;
  bool any_material = false;  // among the findings
  // By function: how its cost moved, as passed in.
  CostShifts shifts;
};

// Judges the counts of one target. First the noise of all targets is collected, then each is
// judged.
class CallJudge {
 public:
  // Keeps references to `target`, `totals` and `costs`. A finding is material from `minimum_impact`
  // on (a share of the target's CPU; without samples, of its calls).
  CallJudge(const MatchedTarget& target, const TargetTotals& totals, const CallCosts& costs,
            double minimum_impact);

  // Adds the functions whose calls differ though no changed code can explain it.
  void AddNoise(NoisyFunctions& noisy) const;

  // One finding per function whose calls changed, one per arc on which the change began, and one
  // per function that moved. Chance variations are reported only where they began.
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
