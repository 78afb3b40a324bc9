// Judges the sampled times of all targets of a comparison.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "profile/computed.h"
#include "proto/findings.pb.h"
#include "reporter/counts/judge_calls.h"
#include "reporter/matching/match_target.h"
#include "reporter/times/time_model.h"

namespace gprofhub::reporter {

struct TimeOptions {
  TimeModelOptions model;
  // Functions with fewer samples than this on both sides together are not judged:
  // nothing can be told of them.
  double minimum_samples = 20;
  // Those that do not stand out are mentioned (as equivalent, or as too uncertain to
  // tell) from this share of the target's samples on.
  double minimum_share = 0.01;
  // From this share of the target's CPU on a change is material.
  double minimum_impact = 0.005;
};

// One function's time in one target, while the comparison goes on.
struct FunctionTime {
  uint32_t function = 0;  // index into MatchedTarget::functions
  v1::Finding::Metric metric = v1::Finding::SELF_TIME;
  TimeTest test;
};

// What the times of one target need until the last target has been seen.
struct TargetTimes {
  std::vector<FunctionTime> self;   // or instructions
  std::vector<FunctionTime> total;  // with everything called
  double speed_factor = 1;          // how much longer everything took at the head
  bool speed_known = false;
  // Whether times with everything called are mostly measured on stacks, not estimated.
  bool totals_measured = false;
  // Time per execution over all functions, the longer of both sides.
  double larger_total = 0;
};

// Both sides sampled in one dimension.
TargetTimes MeasureTimes(const MatchedTarget& target,
                         absl::Span<const profile::ComputedProfile> before,
                         absl::Span<const profile::ComputedProfile> window,
                         absl::Span<const profile::ComputedProfile> after,
                         const TimeOptions& options);

// Judges own times against each other, and total times. Returns the p that one more
// own, and one more total time would have had to reach.
std::pair<double, double> JudgeAll(const std::vector<TargetTimes*>& targets,
                                   const TimeOptions& options);

// One finding per function and metric that changed, or that is worth mentioning.
// Without target and display names.
std::vector<v1::Finding> TimeFindings(const MatchedTarget& target, const TargetTimes& times,
                                      const TargetTotals& totals, const CallJudgement& calls,
                                      const std::pair<double, double>& p,
                                      const TimeOptions& options);

}  // namespace gprofhub::reporter
