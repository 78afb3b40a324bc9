// Which sampled times changed, and which of these changes say something new.
#pragma once

#include <vector>

#include "proto/findings.pb.h"
#include "reporter/counts/judge_calls.h"
#include "reporter/matching/matched_target.h"
#include "reporter/times/target_times.h"

namespace gprofhub::reporter {

// One finding per function and metric that changed, or that is worth mentioning.
// Without target and display names.
std::vector<v1::Finding> TimeFindings(const MatchedTarget& target, const TargetTimes& times,
                                      const TargetTotals& totals, const CallJudgement& calls,
                                      const TimeOptions& options);

}  // namespace gprofhub::reporter
