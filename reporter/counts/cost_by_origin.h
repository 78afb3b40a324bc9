// Attributes the cost of changed calls to where the changes began.
#pragma once

#include <vector>

#include "reporter/counts/forks.h"
#include "reporter/matching/matched_target.h"

namespace gprofhub::reporter {

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

}  // namespace gprofhub::reporter
