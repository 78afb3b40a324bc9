// Sampled times of one target's functions.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "profile/computed.h"
#include "proto/findings.pb.h"
#include "reporter/comparison/pair_call_sites.h"
#include "reporter/comparison/time_model.h"

namespace gprofhub::reporter {

// The sampled times of one target's functions, as values.

struct TimeOptions {
  TimeModelOptions model;
  // Functions with fewer samples on both sides together are not tested.
  double minimum_samples = 20;
  // Minimum share of the target's samples for an insignificant function to be listed, as equivalent
  // or as inconclusive.
  double minimum_share = 0.01;
  // Minimum share of the target's CPU for a change to be material.
  double minimum_impact = 0.005;
};

// One function's time in one target.
struct FunctionTime {
  uint32_t function = 0;  // index into MatchedTarget::functions
  v1::Finding::Metric metric = v1::Finding::SELF_TIME;
  TimeTest test;
  absl::string_view name;  // points into MatchedTarget::functions
  // Number of pooled targets that show the change, if this target alone does not. Otherwise 0.
  uint32_t pooled_targets = 0;
};

// The times of one target. They are tested after the last target is read.
struct TargetTimes {
  std::vector<FunctionTime> self;   // self times or self instructions
  std::vector<FunctionTime> total;  // self and inherited
  // Counted in addition to time (measure_instructions.h).
  std::vector<FunctionTime> instructions;
  // The self times of all uncounted code (IsUncounted), as one. Without runs of a side: none.
  FunctionTime libraries;
  // The whole target. Without runs of a side: not sampled there, or only on other machines.
  TimeTest whole;
  double speed_factor = 1;  // slowdown of the head's machines
  bool speed_known = false;
  // Whether total times are mostly measured on stacks, not estimated.
  bool totals_measured = false;
  // Time per execution over all functions, on the longer side.
  double larger_total = 0;
  // The same of `instructions`.
  double larger_instructions = 0;
};

// Seconds per execution, corrected for machine speed.
inline double TimeBefore(const TimeTest& test) {
  return test.before_samples / test.before_exposure;
}
inline double TimeAfter(const TimeTest& test) { return test.after_samples / test.after_exposure; }

// Whether the function's calls are not counted, and its code is not known to have changed: a whole
// library, or code compiled without counts.
bool IsUncounted(const FunctionPair& function);

// Tests the sampled times of all targets of a comparison together.

// Tests self times together, total times together, and instructions together: per target, and
// pooled for functions of several targets.
void JudgeTimes(const std::vector<TargetTimes*>& targets, const TimeOptions& options);

// Instructions of one target's functions, counted in addition to time.

// Sets times.instructions and times.larger_instructions, if both sides have a run that counted
// instructions. The runs are those that `target` was matched with. The essay is in
// measure_instructions.cc.
void MeasureInstructions(const MatchedTarget& target,
                         absl::Span<const profile::ComputedProfile> before,
                         absl::Span<const profile::ComputedProfile> older,
                         absl::Span<const profile::ComputedProfile> after,
                         const TimeOptions& options, TargetTimes& times);

// Both sides have a run, and all runs are sampled in one dimension. `older` are the runs of older
// commits that `target` was matched with.
TargetTimes MeasureTimes(const MatchedTarget& target,
                         absl::Span<const profile::ComputedProfile> before,
                         absl::Span<const profile::ComputedProfile> older,
                         absl::Span<const profile::ComputedProfile> after,
                         const TimeOptions& options);

// The test of the whole target's time alone. Machine speed is not corrected: if every function
// changed, the two cannot be separated. Runs of older commits are not used.
TimeTest JudgeWholeTime(absl::Span<const profile::ComputedProfile> before,
                        absl::Span<const profile::ComputedProfile> older,
                        absl::Span<const profile::ComputedProfile> after,
                        const TimeOptions& options);

// The test of the summed self times of some functions of the target.
TimeTest JudgeTimeTogether(const MatchedTarget& target,
                           absl::Span<const profile::ComputedProfile> before,
                           absl::Span<const profile::ComputedProfile> older,
                           absl::Span<const profile::ComputedProfile> after,
                           absl::Span<const uint32_t> functions, const TimeOptions& options);

// Pools the tests of one function over several targets.

// A function's tests in two targets or more, as one test.
struct PooledTime {
  TimeTest test;
  std::vector<FunctionTime*> members;
};

// Pools the functions that are long enough in two targets or more. `times` have effects and errors
// (MeasureEffects), and so will the pools.
std::vector<PooledTime> PoolTimes(const std::vector<FunctionTime*>& times);

// If the pool is significant, its members that agree with it, and are not significant themselves,
// get its effect and error, and become significant.
void TellMembers(const PooledTime& pool);

}  // namespace gprofhub::reporter
