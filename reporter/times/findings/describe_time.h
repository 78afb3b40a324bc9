// Converts one tested time to a finding: its numbers, its confidence interval and its verdict.
// time_findings.cc adds explanations.
#pragma once

#include <cstdint>
#include <optional>

#include "proto/findings.pb.h"
#include "reporter/counts/judge_calls.h"
#include "reporter/matching/matched_target.h"
#include "reporter/times/target_times.h"

namespace gprofhub::reporter {

// The tested times of a target, and the inputs of findings about them. Keeps references.
struct JudgedTimes {
  const MatchedTarget& target;
  const TargetTimes& times;
  const TargetTotals& totals;
  const CallJudgement& calls;
  const TimeOptions& options;
};

// An unchanged or inconclusive time. A comparison has tens of thousands of them and shows few, so
// they become findings only when they are shown.
struct QuietTime {
  const FunctionTime* time = nullptr;                      // of JudgedTimes::times
  v1::Finding::Verdict verdict = v1::Finding::EQUIVALENT;  // or CANNOT_TELL
  double weight = 0;                                       // like Finding.weight
};

// Maximum number of reruns that are suggested to decide a time.
inline constexpr uint32_t kFewRuns = 3;

// nullopt if it changed, or kFewRuns more runs might show a material change.
std::optional<QuietTime> AsQuiet(const JudgedTimes& judged, const FunctionTime& time);

// Verdict of an unchanged time: EQUIVALENT or CANNOT_TELL.
v1::Finding::Verdict QuietVerdict(const TimeTest& test, const TimeModelOptions& options);

// Sets the confidence interval of the effect.
void SetInterval(const TimeTest& test, v1::Finding& finding);

// Without target and display names, and without an explanation.
v1::Finding DescribeTime(const JudgedTimes& judged, const FunctionTime& time);

}  // namespace gprofhub::reporter
