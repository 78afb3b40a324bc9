// What a finding is in the whole of its report: a cause, something that follows from one, cost that
// only moved.
#pragma once

#include <vector>

#include "proto/findings.pb.h"

namespace gprofhub::reporter {

// Sections of a report, in rank order (reporter/comparison/compare_sides.h).
enum class FindingKind {
  kCause,      // calls and self time that changed here, and matter
  kTotalTime,  // self and inherited
  kFollower,   // what follows from another finding
  kMinor,      // changed here, too little to matter
  kShifted,
  kFolded,  // under a finding about a toolchain, or a rewrite
  kCannotTell,
  kEquivalent,
  kChance,  // differs, and no code that changed can be the reason
};

// The kinds of findings that belong to one report, in their order.
std::vector<FindingKind> FindingKinds(const std::vector<v1::Finding>& findings);
std::vector<FindingKind> FindingKinds(const v1::Report& report);

}  // namespace gprofhub::reporter
