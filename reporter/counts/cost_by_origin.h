// Shares out what changed calls cost to where the changes began.
#pragma once

#include <cstdint>
#include <vector>

#include "reporter/matching/matched_target.h"

namespace gprofhub::reporter {

// How the calls of one arc changed, per execution.
struct ArcChange {
  double own = 0;        // what is new on this arc
  double inherited = 0;  // what its caller brings along
  // What is its own may have come of its caller's being called more (or less), too.
  bool follows_caller = false;
};

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
