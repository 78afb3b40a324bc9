// Where changes of call counts began, and what follows from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "reporter/counts/cost_by_origin.h"
#include "reporter/counts/judge_count.h"
#include "reporter/matching/matched_target.h"

namespace gprofhub::reporter {

// What an arc's count is divided by: the calls of its caller over all executions. A
// caller that is never counted as called (the program's entry) runs once in each.
uint64_t CallerCalls(const MatchedTarget& target, uint32_t caller, bool after);

// `target` outlives it.
class ChangeOrigins {
 public:
  // `functions` and `arcs` say how the counts of the target's changed.
  ChangeOrigins(const MatchedTarget& target, const std::vector<CountChange>& functions,
                const std::vector<CountChange>& arcs);

  // Whether the arc changed by itself.
  bool Began(size_t arc) const { return began_[arc]; }
  // By arc.
  const std::vector<ArcChange>& parts() const { return parts_; }
  // Whether most of the function's change is no arc's own to it.
  bool Follows(uint32_t function) const;
  // The arc where the change of a function that follows began.
  std::optional<size_t> OriginOf(uint32_t function) const;

 private:
  void LeaveCycles(const std::vector<double>& ratio_changes);

  const MatchedTarget& target_;
  std::vector<bool> began_;        // by arc
  std::vector<ArcChange> parts_;   // by arc
  std::vector<int32_t> main_arc_;  // by function: brings most of its change; -1: none
};

}  // namespace gprofhub::reporter
