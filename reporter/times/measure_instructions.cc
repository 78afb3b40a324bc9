// The processor samples the program's position after a fixed number of instructions. So
// instructions are a number of samples, like time, and the same model applies (time_model.cc). But
// these samples are a family of their own: their variation is estimated from their runs alone. And
// machine speed does not affect them, so it is not corrected.
//
// A recording has instructions, but not the number per sample. All of its counts are multiples of
// that number, so it is estimated as their greatest common divisor. Few counts may have a larger
// one: then a sample is assumed to represent too many instructions, and the result is less certain
// than possible, never more.
#include "reporter/times/measure_instructions.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "reporter/counts/code_evidence.h"
#include "reporter/times/evidence.h"
#include "reporter/times/time_model.h"

namespace gprofhub::reporter {
namespace {

// 0: no instructions were counted.
uint64_t InstructionsPerSample(const MatchedTarget& target) {
  uint64_t common = 0;
  for (const FunctionPair& function : target.functions) {
    for (const double count : function.instructions_by_run) {
      if (!std::isnan(count)) common = std::gcd(common, static_cast<uint64_t>(count));
    }
  }
  return common;
}

RunExposures ExposuresOf(absl::Span<const profile::ComputedProfile> before,
                         absl::Span<const profile::ComputedProfile> older,
                         absl::Span<const profile::ComputedProfile> after, double per_sample) {
  RunExposures runs;
  runs.before = before.size() + older.size();
  for (const auto& part : {before, older, after}) {
    for (const profile::ComputedProfile& profile : part) {
      runs.exposure.push_back(std::max<uint32_t>(1, profile.repetitions) / per_sample);
    }
  }
  return runs;
}

// Sum over all functions, on the larger side. `speed` is 1 for each run.
double LargerTotal(const MatchedTarget& target, const RunExposures& runs,
                   const std::vector<double>& speed, double per_sample) {
  double before = 0, after = 0;
  for (const FunctionPair& function : target.functions) {
    if (function.instructions_by_run.size() != runs.exposure.size()) continue;
    const TimeTest test = MakeTimeTest(runs, speed, function.instructions_by_run);
    if (test.before_runs > 0) before += TimeBefore(test) / per_sample;
    if (test.after_runs > 0) after += TimeAfter(test) / per_sample;
  }
  return std::max(before, after);
}

}  // namespace

void MeasureInstructions(const MatchedTarget& target,
                         absl::Span<const profile::ComputedProfile> before,
                         absl::Span<const profile::ComputedProfile> older,
                         absl::Span<const profile::ComputedProfile> after,
                         const TimeOptions& options, TargetTimes& times) {
  const uint64_t per_sample = InstructionsPerSample(target);
  if (per_sample == 0) return;
  const RunExposures runs = ExposuresOf(before, older, after, static_cast<double>(per_sample));
  const std::vector<double> speed(runs.exposure.size(), 1);
  times.larger_instructions = LargerTotal(target, runs, speed, static_cast<double>(per_sample));
  const CodeEvidence code(target);
  for (uint32_t i = 0; i < target.functions.size(); ++i) {
    const FunctionPair& function = target.functions[i];
    if (function.instructions_by_run.size() != runs.exposure.size()) continue;
    ByRun samples = function.instructions_by_run;
    for (double& count : samples) count /= static_cast<double>(per_sample);
    TimeTest test = MakeTimeTest(runs, speed, samples);
    if (test.before_runs == 0 || test.after_runs == 0) continue;
    if (test.before_samples + test.after_samples < options.minimum_samples) continue;
    // No change is larger than the sum of both sides.
    test.matters =
        function.toolchain_change < 0 &&
        TimeBefore(test) + TimeAfter(test) >= options.minimum_impact * times.larger_instructions;
    test.evidence = EvidenceOf(target, code, i);
    times.instructions.push_back({i, v1::Finding::EVENT_INSTRUCTIONS, test, function.name});
  }
}

}  // namespace gprofhub::reporter
