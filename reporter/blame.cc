// What a function costs more because it is called more is caused where the calls
// come from. The change of its calls is the sum over its incoming arcs of what each
// has of its own and what it inherits from its caller; in these proportions the cost
// is blamed on the arcs' own changes and on the callers, which blame it on theirs,
// until all of it lies where a change began:
//
//   blame(f) = cost(f) + Σ over arcs f → g: blame(g) · |inherited part of the arc| /
//                                                      Σ |all parts of g's arcs|
//
// Solved by iteration from the leaves' side; recursion makes circles, in which each
// round passes on less, unless nothing in the circle began anything: so the rounds
// are limited, and no blame exceeds the whole.
#include "reporter/blame.h"

#include <algorithm>
#include <cmath>

namespace gprofhub {
namespace {

constexpr int kMostRounds = 64;
constexpr double kSettled = 1e-6;

}  // namespace

Blame ShareOut(const MatchedTarget& target, const std::vector<double>& cost,
               const std::vector<ArcChange>& changes) {
  std::vector<double> parts(target.functions.size(), 0);
  std::vector<size_t> passing;  // arcs over which blame goes up
  for (size_t i = 0; i < changes.size(); ++i) {
    const ArcPair& arc = target.arcs[i];
    // What a function's recursion inherits comes from its other callers.
    const bool up = arc.caller != kSpontaneous && arc.caller != arc.callee;
    parts[arc.callee] += std::fabs(changes[i].own) + (up ? std::fabs(changes[i].inherited) : 0);
    if (up && changes[i].inherited != 0) passing.push_back(i);
  }
  Blame blame;
  blame.functions = cost;
  for (int round = 0; round < kMostRounds; ++round) {
    std::vector<double> next = cost;
    for (const size_t i : passing) {
      const ArcPair& arc = target.arcs[i];
      next[arc.caller] +=
          blame.functions[arc.callee] * std::fabs(changes[i].inherited) / parts[arc.callee];
    }
    double moved = 0;
    for (size_t f = 0; f < next.size(); ++f) {
      next[f] = std::min(1.0, next[f]);
      moved = std::max(moved, std::fabs(next[f] - blame.functions[f]));
    }
    blame.functions = std::move(next);
    if (moved < kSettled) break;
  }
  blame.arcs.assign(changes.size(), 0);
  for (size_t i = 0; i < changes.size(); ++i) {
    const uint32_t callee = target.arcs[i].callee;
    if (changes[i].own == 0) continue;
    blame.arcs[i] = blame.functions[callee] * std::fabs(changes[i].own) / parts[callee];
  }
  return blame;
}

}  // namespace gprofhub
