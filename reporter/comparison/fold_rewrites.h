// Folds a target's findings under a rewritten component.
#pragma once

#include <vector>

#include "proto/findings.pb.h"
#include "reporter/counts/judge_calls.h"
#include "reporter/matching/matched_target.h"
#include "reporter/matching/rewrites.h"

namespace gprofhub::reporter {

// Folds findings of the component's functions under one finding, which it returns without its
// times. Changes of calls that began in its functions, and their side effects, are folded, too.
v1::Finding FoldUnderRewrite(const MatchedTarget& target, const Rewrite& rewrite,
                             const TargetTotals& totals, std::vector<v1::Finding>& findings);

}  // namespace gprofhub::reporter
