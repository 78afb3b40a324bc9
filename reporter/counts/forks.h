// In which functions a program's behaviour forked, and which only followed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "reporter/counts/judge_count.h"
#include "reporter/matching/matched_target.h"

namespace gprofhub::reporter {

// What an arc's count is divided by: the calls of its caller over all executions. A
// caller that is never counted as called (the program's entry) runs once in each.
uint64_t CallerCalls(const MatchedTarget& target, uint32_t caller, bool after);

// How the calls of one arc changed, per execution.
struct ArcChange {
  double own = 0;        // what its caller does differently with as many calls
  double inherited = 0;  // what its caller brings along, because it is called more or less
  // What is its own may come of its caller's being called differently, too.
  bool may_follow = false;
};

struct Forks {
  // By arc; zeros where it did not change.
  std::vector<ArcChange> changes;
  // By function, and of kSpontaneous last: whether it does something else, as far as can be told by
  // itself.
  std::vector<bool> forked;
  // The same: whether it is not called differently, and still follows from a fork, through data.
  std::vector<bool> led_by_data;
  // Of these: the arc to blame, the largest of a fork that nothing else explains.
  std::optional<size_t> leader;
};

// `arcs` say how the counts of the target's changed. `apart`, by function and of kSpontaneous last,
// or empty: which functions no fork of the others' can lead, and which lead none.
Forks FindForks(const MatchedTarget& target, const std::vector<CountChange>& arcs,
                const std::vector<bool>& apart);

}  // namespace gprofhub::reporter
