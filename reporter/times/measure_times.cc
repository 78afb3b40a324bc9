#include "reporter/times/measure_times.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/strings/string_view.h"
#include "reporter/counts/code_evidence.h"
#include "reporter/times/evidence.h"
#include "reporter/times/time_model.h"

namespace gprofhub::reporter {
namespace {

// The runtime's name of the dimension (GPROFHUB_DIMENSION=instructions).
constexpr absl::string_view kInstructions = "Minstructions";

double Exposure(const profile::ComputedProfile& profile) {
  return profile.sample_rate * static_cast<double>(std::max<uint32_t>(1, profile.repetitions));
}

// All runs, in the order of FunctionPair::self_by_run.
RunExposures ExposuresOf(absl::Span<const profile::ComputedProfile> before,
                         absl::Span<const profile::ComputedProfile> older,
                         absl::Span<const profile::ComputedProfile> after) {
  RunExposures runs;
  runs.before = before.size() + older.size();
  for (const auto& part : {before, older, after}) {
    for (const profile::ComputedProfile& profile : part) runs.exposure.push_back(Exposure(profile));
  }
  return runs;
}

// By run: slowdown of its machine, as far as the functions agree.
std::vector<double> SpeedFactors(const MatchedTarget& target, const RunExposures& runs) {
  std::vector<absl::Span<const double>> samples;
  for (const FunctionPair& function : target.functions) {
    if (function.self_by_run.size() == runs.exposure.size() &&
        TellsOfTheMachine(target, function)) {
      samples.push_back(function.self_by_run);
    }
  }
  return EstimateSpeedFactors(runs, samples);
}

// Mean over the runs of the whole time per execution, in the dimension's unit.
double MeanTime(absl::Span<const profile::ComputedProfile> runs) {
  double total = 0;
  for (const profile::ComputedProfile& profile : runs)
    total += profile.total_samples / Exposure(profile);
  return total / static_cast<double>(runs.size());
}

bool MostHaveStacks(absl::Span<const profile::ComputedProfile> before,
                    absl::Span<const profile::ComputedProfile> after) {
  double all_samples = 0, on_stacks = 0;
  for (const auto& side : {before, after}) {
    for (const profile::ComputedProfile& profile : side) {
      all_samples += profile.total_samples;
      on_stacks += profile.complete_stack_samples;
    }
  }
  return on_stacks > all_samples / 2;
}

std::vector<double> TotalByRun(const FunctionPair& function) {
  std::vector<double> both(function.self_by_run.begin(), function.self_by_run.end());
  for (size_t run = 0; run < both.size(); ++run) {
    const double sum = both[run] + function.child_by_run[run];
    both[run] = sum < 0 ? 0 : sum;  // keeps NaN
  }
  return both;
}

TimeTest TestTimes(const RunExposures& runs, const std::vector<double>& speed,
                   absl::Span<const double> samples, const TimeOptions& options,
                   const TargetTimes& times) {
  TimeTest test = MakeTimeTest(runs, speed, samples);
  // No change is larger than the sum of both sides.
  test.matters = TimeBefore(test) + TimeAfter(test) >= options.minimum_impact * times.larger_total;
  return test;
}

// Ignores the runs of older commits, which come after the base's own.
TimeTest JudgeAlone(const RunExposures& runs, const std::vector<double>& speed,
                    std::vector<double> samples, size_t own_runs, const TimeOptions& options) {
  for (size_t run = own_runs; run < runs.before; ++run) {
    samples[run] = std::numeric_limits<double>::quiet_NaN();
  }
  TimeTest test = MakeTimeTest(runs, speed, samples);
  JudgeTimeTests({&test}, options.model);
  return test;
}

}  // namespace

TimeTest JudgeWholeTime(absl::Span<const profile::ComputedProfile> before,
                        absl::Span<const profile::ComputedProfile> older,
                        absl::Span<const profile::ComputedProfile> after,
                        const TimeOptions& options) {
  const RunExposures runs = ExposuresOf(before, older, after);
  std::vector<double> samples;
  for (const auto& part : {before, older, after}) {
    for (const profile::ComputedProfile& profile : part) samples.push_back(profile.total_samples);
  }
  return JudgeAlone(runs, std::vector<double>(samples.size(), 1), samples, before.size(), options);
}

TimeTest JudgeTimeTogether(const MatchedTarget& target,
                           absl::Span<const profile::ComputedProfile> before,
                           absl::Span<const profile::ComputedProfile> older,
                           absl::Span<const profile::ComputedProfile> after,
                           absl::Span<const uint32_t> functions, const TimeOptions& options) {
  const RunExposures runs = ExposuresOf(before, older, after);
  std::vector<double> samples(runs.exposure.size(), 0);
  for (const uint32_t i : functions) {
    const ByRun& own = target.functions[i].self_by_run;
    for (size_t run = 0; run < std::min(samples.size(), own.size()); ++run)
      samples[run] += own[run];
  }
  return JudgeAlone(runs, SpeedFactors(target, runs), samples, before.size(), options);
}

TargetTimes MeasureTimes(const MatchedTarget& target,
                         absl::Span<const profile::ComputedProfile> before,
                         absl::Span<const profile::ComputedProfile> older,
                         absl::Span<const profile::ComputedProfile> after,
                         const TimeOptions& options) {
  TargetTimes times;
  const RunExposures runs = ExposuresOf(before, older, after);
  const std::vector<double> speed = SpeedFactors(target, runs);
  double base_speed = 0, head_speed = 0;
  for (size_t run = 0; run < speed.size(); ++run) {
    times.speed_known |= speed[run] != 1;
    (run < runs.before ? base_speed : head_speed) += speed[run];
  }
  base_speed /= static_cast<double>(runs.before);
  head_speed /= static_cast<double>(after.size());
  times.speed_factor = head_speed / base_speed;
  times.larger_total = std::max(MeanTime(before) / base_speed, MeanTime(after) / head_speed);
  times.totals_measured = MostHaveStacks(before, after);
  const CodeEvidence code(target);
  const bool instructions = before.front().dimension == kInstructions;
  for (uint32_t i = 0; i < target.functions.size(); ++i) {
    const FunctionPair& function = target.functions[i];
    if (function.self_by_run.size() != runs.exposure.size()) continue;  // merged into another
    if (!function.before.present() && !function.after.present()) continue;
    TimeTest self = TestTimes(runs, speed, function.self_by_run, options, times);
    // The toolchain's time is tested once, over all its functions.
    self.matters = self.matters && function.toolchain_change < 0;
    if (self.before_runs == 0 || self.after_runs == 0) continue;  // no comparable machine
    self.evidence = EvidenceOf(target, code, i);
    if (self.before_samples + self.after_samples >= options.minimum_samples) {
      times.self.push_back({i, instructions ? v1::Finding::INSTRUCTIONS : v1::Finding::SELF_TIME,
                            self, function.name});
    }
    if (function.before.child_samples + function.after.child_samples <= 0) continue;
    if (!function.before.present() || !function.after.present() || instructions) continue;
    TimeTest total = TestTimes(runs, speed, TotalByRun(function), options, times);
    total.matters = total.matters && target.toolchain_changes.empty();
    if (total.before_samples + total.after_samples >= options.minimum_samples) {
      times.total.push_back({i, v1::Finding::TOTAL_TIME, total, function.name});
    }
  }
  return times;
}

}  // namespace gprofhub::reporter
