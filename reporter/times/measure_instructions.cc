// The processor tells where the program is each time when it has executed so many instructions. So
// what a function has is a number of samples, as its time is, and the same model judges it
// (time_model.cc). But these samples are a family of their own: their runs alone say how much they
// vary. And no machine executes them slower, so no speed is taken out.
//
// A recording has instructions, and not how many a sample stood for. All of its counts are
// multiples of that number, so it is what they have in common. Few counts may have more in common
// than that: then each sample stands for too many instructions, and what they say is less sure than
// it could be, never more.
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

// 0: no instruction was counted.
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

// Of all functions, of the side where it is more. `speed` is 1 for each run.
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
    // No change is larger than both sides together.
    test.matters =
        function.toolchain_change < 0 &&
        TimeBefore(test) + TimeAfter(test) >= options.minimum_impact * times.larger_instructions;
    test.evidence = EvidenceOf(target, code, i);
    times.instructions.push_back({i, v1::Finding::EVENT_INSTRUCTIONS, test, function.name});
  }
}

}  // namespace gprofhub::reporter
