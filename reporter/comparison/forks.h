// In which functions a program's behaviour forked, and which are side effects.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "reporter/comparison/count_history.h"
#include "reporter/comparison/pair_call_sites.h"

namespace gprofhub::reporter {

// Divisor of an arc's count: the calls of its caller over all executions. A caller without counted
// calls (the program's entry) runs once in each.
uint64_t CallerCalls(const MatchedTarget& target, uint32_t caller, bool after);

// How the calls of one arc changed, per execution.
struct ArcChange {
  double own = 0;        // change of the caller's calls per call
  double inherited = 0;  // because its caller is called more or less
  // Its own part may be a side effect of a change in how its caller is called.
  bool may_follow = false;

  // Whether the arc's own part is large enough for a finding.
  bool Began() const {
    constexpr double kOwnPart = 0.1;
    return std::fabs(own) > kOwnPart * std::fabs(inherited);
  }
};

struct Forks {
  // By arc; zeros where it did not change.
  std::vector<ArcChange> changes;
  // By function, then kSpontaneous: whether its behaviour forked, judged by the function alone.
  std::vector<bool> forked;
  // By function, then kSpontaneous: the arc of a fork that leads it, through data. The own parts of
  // a led function's arcs belong to that arc, unless they `may_follow`.
  std::vector<std::optional<size_t>> led_by;
};

// `arcs` are the count changes of the target's arcs. `apart`, by function and kSpontaneous last, or
// empty: functions that neither lead others nor are led by forks.
Forks FindForks(const MatchedTarget& target, const std::vector<CountChange>& arcs,
                const std::vector<bool>& apart);

}  // namespace gprofhub::reporter
