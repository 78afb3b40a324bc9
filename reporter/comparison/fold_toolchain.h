// What another toolchain explains of a target's findings, and what it does not.
#pragma once

#include <vector>

#include "proto/findings.pb.h"
#include "reporter/matching/matched_target.h"

namespace gprofhub::reporter {

// Folds findings of a target that has toolchain changes under one finding, which it returns:
// without its times. A change of calls that no inlining explains (toolchain_changes.h) is not
// folded, but marked; neither is an alarm.
v1::Finding FoldUnderToolchain(const MatchedTarget& target, std::vector<v1::Finding>& findings);

}  // namespace gprofhub::reporter
