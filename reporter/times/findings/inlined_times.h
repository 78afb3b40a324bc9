// Self times of functions whose inlined functions changed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "proto/findings.pb.h"
#include "reporter/matching/matched_target.h"
#include "reporter/shifts/function_groups.h"
#include "reporter/times/target_times.h"

namespace gprofhub::reporter {

// A function's self time includes that of functions inlined into it. If these differ between the
// sides, the total of all these functions decides whether anything changed.
class InlinedTimes {
 public:
  // Keeps a reference to `target`.
  explicit InlinedTimes(const MatchedTarget& target);

  // The functions among which this time was redistributed. Nothing if the inlined functions are not
  // known to differ, or if the total changed, too.
  std::optional<v1::Shift> Find(const FunctionTime& time) const;

 private:
  const MatchedTarget& target_;
  FunctionGroups groups_;
};

}  // namespace gprofhub::reporter
