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
  // Functions with fewer samples on both sides together are not judged.
  double minimum_samples = 20;
  // From this share of the target's samples on, a function that does not stand out is mentioned
  // all the same: as equivalent, or as too uncertain to tell.
  double minimum_share = 0.01;
  // From this share of the target's CPU on a change is material.
  double minimum_impact = 0.005;
};

// One function's time in one target.
struct FunctionTime {
  uint32_t function = 0;  // index into MatchedTarget::functions
  v1::Finding::Metric metric = v1::Finding::SELF_TIME;
  TimeTest test;
  absl::string_view name;  // of MatchedTarget::functions, which outlives it
  // How many targets together say that it changed, where this one alone does not. Else 0.
  uint32_t pooled_targets = 0;
};

// The times of one target. They are judged when the last target has been seen.
struct TargetTimes {
  std::vector<FunctionTime> self;   // or instructions
  std::vector<FunctionTime> total;  // with everything called
  // Counted beside the time (measure_instructions.h).
  std::vector<FunctionTime> instructions;
  double speed_factor = 1;  // how much longer everything took at the head
  bool speed_known = false;
  // Whether times with everything called are mostly measured on stacks, not estimated.
  bool totals_measured = false;
  // Time per execution over all functions, of the side where it is longer.
  double larger_total = 0;
  // The same of `instructions`.
  double larger_instructions = 0;
};

// Seconds per execution, machine speed taken out.
inline double TimeBefore(const TimeTest& test) {
  return test.before_samples / test.before_exposure;
}
inline double TimeAfter(const TimeTest& test) { return test.after_samples / test.after_exposure; }

}  // namespace gprofhub::reporter
