// Cost of a target's count changes: CPU time, allocated bytes, waiting.
#pragma once

#include <algorithm>
#include <vector>

#include "reporter/counts/call_costs.h"
#include "reporter/counts/change_origins.h"
#include "reporter/counts/cost_by_origin.h"
#include "reporter/counts/judge_count.h"
#include "reporter/matching/matched_target.h"

namespace gprofhub::reporter {

// Totals that turn samples into shares.
struct TargetTotals {
  double before_samples = 0;
  double after_samples = 0;

  // With fewer samples a target is tiny: its own samples are a poor estimate of shares.
  static constexpr double kEnoughSamples = 100;
  bool IsTiny() const { return Larger() < kEnoughSamples; }
  double Larger() const { return std::max(before_samples, after_samples); }
  // Divisor of impacts in a tiny target until they are pooled over more targets.
  double OfTiny() const { return Larger() + kEnoughSamples; }
};

// By function and by arc, each from 0 to 1.
struct ChangeCosts {
  // Shares of the target's CPU; if `costs` have no sample, of its calls.
  CostByOrigin cpu;
  // Shares of the bytes that the target allocates or holds, and of its waiting calls. Empty if
  // these changed by an irrelevant amount.
  CostByOrigin bytes, waits;
};

// `changes` are those of the target's functions, `origins` those of its arcs.
ChangeCosts CostsOfChanges(const MatchedTarget& target, const TargetTotals& totals,
                           const CallCosts& costs, const std::vector<CountChange>& changes,
                           const ChangeOrigins& origins);

}  // namespace gprofhub::reporter
