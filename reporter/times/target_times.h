// The sampled times of one target's functions, as values.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "proto/findings.pb.h"
#include "reporter/times/time_model.h"
#include "reporter/times/time_test.h"

namespace gprofhub::reporter {

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

}  // namespace gprofhub::reporter
