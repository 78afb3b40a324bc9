// Separates a target's findings that another toolchain explains from those it does not.
#pragma once

#include <vector>

#include "proto/findings.pb.h"
#include "reporter/matching/matched_target.h"

namespace gprofhub::reporter {

// Folds findings of a target with toolchain changes under one finding, which it returns without its
// times. A change of calls that inlining cannot explain (toolchain_changes.h) is not folded but
// marked. Neither raises an alarm.
v1::Finding FoldUnderToolchain(const MatchedTarget& target, std::vector<v1::Finding>& findings);

}  // namespace gprofhub::reporter
