// Own times of functions into which other functions were inlined than before.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "proto/findings.pb.h"
#include "reporter/matching/matched_target.h"
#include "reporter/shifts/function_groups.h"
#include "reporter/times/target_times.h"

namespace gprofhub::reporter {

// A function's own time has in it that of what was inlined into it. Where that is not the same on
// both sides, the time of all these functions together tells whether anything changed.
class InlinedTimes {
 public:
  // `target` outlives it.
  explicit InlinedTimes(const MatchedTarget& target);

  // The functions that this time was shared out anew with. Nothing: the same was inlined on both
  // sides, as far as is known, or all of them together took more or less time, too.
  std::optional<v1::Shift> Find(const FunctionTime& time) const;

 private:
  const MatchedTarget& target_;
  FunctionGroups groups_;
};

}  // namespace gprofhub::reporter
