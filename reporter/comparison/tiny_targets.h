// Relevance of call changes in tests of a few milliseconds.
#pragma once

#include <string>
#include <vector>

#include "proto/findings.pb.h"
#include "reporter/counts/judge_calls.h"
#include "reporter/matching/matched_target.h"

namespace gprofhub::reporter {

// One judged target.
struct JudgedTarget {
  const std::string* label = nullptr;
  const MatchedTarget* matched = nullptr;
  TargetTotals totals;
  double samples_per_second = 0;                 // 0: not sampled in seconds
  std::vector<v1::Finding>* findings = nullptr;  // of its calls
};

// Sets impact and material of the findings in targets with few samples (TargetTotals::IsTiny). In a
// target without samples, only if another target has some.
void JudgeTinyTargets(const std::vector<JudgedTarget>& targets, double minimum_impact);

}  // namespace gprofhub::reporter
