// Judges the call counts of one target.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "proto/findings.pb.h"
#include "reporter/comparison/code_evidence.h"
#include "reporter/comparison/cost_by_origin.h"
#include "reporter/comparison/count_history.h"
#include "reporter/comparison/moved_calls.h"
#include "reporter/comparison/pair_call_sites.h"

namespace gprofhub::reporter {

// Cost of a call, from the samples of all targets, by function.

class CallCosts {
 public:
  // Without `by_function` all calls cost the same: distinguishing functions takes time, and only
  // targets with few samples need it.
  explicit CallCosts(bool by_function = true) : tells_functions_apart_(by_function) {}

  // Counts the samples and calls of the target's functions, of both sides. Keeps references to
  // their names.
  void Add(const MatchedTarget& target);

  // Whether there is any sample.
  bool known() const { return all_.samples > 0; }
  // Self samples per call of the function.
  double PerCall(absl::string_view function) const;
  // The same, averaged over all functions.
  double PerAnyCall() const;

 private:
  struct Sum {
    double samples = 0;
    double calls = 0;
  };
  const bool tells_functions_apart_;
  Sum all_;
  absl::flat_hash_map<absl::string_view, Sum> by_function_;
};

// Cost of a target's count changes: CPU time, allocated bytes, waiting.

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

// Sets the caller of an arc's finding, how often it runs, and the site: that of the call whose
// count changed most.
void SetArc(const MatchedTarget& target, const ArcPair& arc, v1::Finding& finding);

// Whether a change of calls is material by its share of the target's CPU or of other costs.
bool CostsEnough(const v1::Finding& finding, double minimum_impact);

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
  // By function: how far a change of its calls is believed, or, where these did not change, one of
  // its time.
  std::vector<Belief> belief;
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

  // Adds the functions whose calls vary, or may do so.
  void AddNoise(NoisyFunctions& noisy) const;

  // One finding per function whose calls changed, one per arc on which the change began, and one
  // per function that moved. Chance variations and unconfirmed changes are reported only where they
  // began.
  CallJudgement Run(const NoisyFunctions& noisy, CostShifts shifts);

 private:
  std::vector<bool> WhatIsApart() const;
  bool IsQuantity(const ArcPair& arc) const;
  bool IsSettled(size_t arc) const;

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
