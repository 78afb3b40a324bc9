// One judged time as a finding: its numbers, its interval and its verdict. What explains a change
// is time_findings.cc's.
#pragma once

#include <cstdint>
#include <optional>

#include "proto/findings.pb.h"
#include "reporter/counts/judge_calls.h"
#include "reporter/matching/matched_target.h"
#include "reporter/times/target_times.h"

namespace gprofhub::reporter {

// The times of a target, judged, and what a finding about one of them is made of. All outlive it.
struct JudgedTimes {
  const MatchedTarget& target;
  const TargetTimes& times;
  const TargetTotals& totals;
  const CallJudgement& calls;
  const TimeOptions& options;
};

// A time that did not change, or of which too little is known to tell. A comparison has tens of
// thousands of them and shows few, so they become findings when they are shown.
struct QuietTime {
  const FunctionTime* time = nullptr;                      // of JudgedTimes::times
  v1::Finding::Verdict verdict = v1::Finding::EQUIVALENT;  // or CANNOT_TELL
  double weight = 0;                                       // as Finding.weight
};

// More runs than these are not made to know a time.
inline constexpr uint32_t kFewRuns = 3;

// nullopt: it changed, or kFewRuns more runs might show a change that matters.
std::optional<QuietTime> AsQuiet(const JudgedTimes& judged, const FunctionTime& time);

// What a time says that did not change: EQUIVALENT, or CANNOT_TELL.
v1::Finding::Verdict QuietVerdict(const TimeTest& test, const TimeModelOptions& options);

// Sets the interval about the effect.
void SetInterval(const TimeTest& test, v1::Finding& finding);

// Without target and display names, and without what explains it.
v1::Finding DescribeTime(const JudgedTimes& judged, const FunctionTime& time);

}  // namespace gprofhub::reporter
