// Attributes the cost of changed calls to where the changes began.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "reporter/comparison/count_history.h"
#include "reporter/comparison/forks.h"
#include "reporter/comparison/pair_call_sites.h"

namespace gprofhub::reporter {

// Where changes of call counts began, and which are side effects.

// Keeps a reference to `target`.
class ChangeOrigins {
 public:
  // `arcs` are the count changes of the target's arcs; `apart` as in FindForks.
  ChangeOrigins(const MatchedTarget& target, const std::vector<CountChange>& arcs,
                const std::vector<bool>& apart);

  // Whether the change began on the arc.
  bool Began(size_t arc) const { return began_[arc]; }
  // By arc.
  const std::vector<ArcChange>& parts() const { return parts_; }
  // By function: the arc that leads it through data (forks.h); otherwise nothing.
  std::optional<size_t> LeaderOf(uint32_t function) const;
  // Whether the function's change is mostly inherited.
  bool Follows(uint32_t function) const;
  // The arc where the change of a side effect began.
  std::optional<size_t> OriginOf(uint32_t function) const;

 private:
  void LeaveCycles();

  const MatchedTarget& target_;
  std::vector<bool> began_;        // by arc
  std::vector<ArcChange> parts_;   // by arc
  std::vector<int32_t> main_arc_;  // by function: with most of its change; -1: none
  // By function, then kSpontaneous: the arc that leads it.
  std::vector<std::optional<size_t>> led_by_;
};

struct CostByOrigin {
  // By function: cost of its changed calls and of everything they caused, as a share of the
  // target's CPU. Positive also if there are fewer calls.
  std::vector<double> functions;
  // By arc: cost of its own change and of everything it caused.
  std::vector<double> arcs;
};

// `cost[f]`: share of the target's CPU that the change of f's calls has in f itself. `changes[a]`
// belongs to target.arcs[a]; zeros for arcs that did not change.
CostByOrigin ShareOutCost(const MatchedTarget& target, const std::vector<double>& cost,
                          const std::vector<ArcChange>& changes);

// The same, where the cost of functions that are led by data goes to the arcs that lead them.
CostByOrigin ShareOutCost(const MatchedTarget& target, const std::vector<double>& cost,
                          const ChangeOrigins& origins);

}  // namespace gprofhub::reporter
