// Data that a comparison extracts from one target before any verdict.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "reporter/comparison/choose_reruns.h"
#include "reporter/comparison/comparison_side.h"
#include "reporter/comparison/group_findings.h"
#include "reporter/counts/judge_calls.h"
#include "reporter/matching/matched_target.h"
#include "reporter/times/target_times.h"

namespace gprofhub::reporter {

// Kept per target until the times of all are judged together.
struct TargetWork {
  std::string label;
  MatchedTarget matched;
  TargetTotals totals;
  double samples_per_second = 0;  // 0: not sampled in seconds
  CallJudgement calls;
  TargetTimes times;
  TargetGroups groups;
};

// Sum over the targets of one side.
struct SideTimes {
  double samples = 0;
  double measured = 0;  // with complete stacks
  double overhead = 0;  // in seconds, as is the next field
  double seconds = 0;
  size_t runs = 0;

  void Add(const SideTimes& other) {
    samples += other.samples;
    measured += other.measured;
    overhead += other.overhead;
    seconds += other.seconds;
    runs = std::max(runs, other.runs);
  }
};

// Result for one target.
struct TargetPart {
  std::string label;
  SideTimes base, head;
  size_t window_runs = 0;
  HeadRuns head_runs;
  std::optional<TargetWork> work;  // absent: one side lacks the target
  // The base's own runs were on another kind of machine: times are compared with older runs, or not
  // at all.
  bool on_older_runs = false;
  bool incomparable = false;
  std::vector<std::string> warnings;
};

// Matches and measures the target on both sides. The profiles are not needed afterwards.
TargetPart PartOf(const std::string& label, const ComparisonSide& base, const ComparisonSide& head,
                  const TimeOptions& options);

}  // namespace gprofhub::reporter
