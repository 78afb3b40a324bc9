// Shares out what changed calls cost to where the changes began.
#pragma once

#include <vector>

#include "reporter/counts/forks.h"
#include "reporter/matching/matched_target.h"

namespace gprofhub::reporter {

struct CostByOrigin {
  // Of all calls of a function that changed: what they and all they brought along
  // cost, as a share of the target's CPU. Positive also where they became fewer.
  std::vector<double> functions;
  // Of an arc: what its own change and all it brought along cost.
  std::vector<double> arcs;
};

// `cost[f]`: share of the target's CPU that the change of f's calls stands for in f
// itself. `changes[a]` belongs to target.arcs[a]; zeros for arcs that did not
// change.
CostByOrigin ShareOutCost(const MatchedTarget& target, const std::vector<double>& cost,
                          const std::vector<ArcChange>& changes);

}  // namespace gprofhub::reporter
