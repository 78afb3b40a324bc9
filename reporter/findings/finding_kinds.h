// The role of a finding in its report: a cause, a side effect, moved cost.
#pragma once

#include <vector>

#include "proto/findings.pb.h"

namespace gprofhub::reporter {

// Sections of a report, in rank order (reporter/comparison/compare_sides.h).
enum class FindingKind {
  kCause,      // material change of calls or self time that began here
  kTotalTime,  // self and inherited
  kFollower,   // side effect of another finding
  kMinor,      // changed here, not material
  kShifted,
  kFolded,  // under a finding about a toolchain, or a rewrite
  kCannotTell,
  kEquivalent,
  kChance,  // differs, and no changed code can explain it
};

// The kinds of one report's findings, in their order.
std::vector<FindingKind> FindingKinds(const std::vector<v1::Finding>& findings);
std::vector<FindingKind> FindingKinds(const v1::Report& report);

}  // namespace gprofhub::reporter
