#include "reporter/comparison/measure_times.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "base/parallel.h"
#include "reporter/comparison/code_evidence.h"
#include "reporter/comparison/pair_call_sites.h"
#include "reporter/comparison/time_model.h"

namespace gprofhub::reporter {

namespace {

// Evidence from a program's code and calls that a function's cost may have changed.

// Whether the function is known to do the same on both sides, so that it measures machine speed. A
// function that does more takes longer on any machine.
bool TellsOfTheMachine(const MatchedTarget& target, const FunctionPair& function);

// For self time, or self instructions, of the function with this index. A function that calls
// changed code, or is called by it, may behave differently with the same code.
TimeEvidence EvidenceOf(const MatchedTarget& target, const CodeEvidence& code, uint32_t index);

bool HasCountedCalls(const FunctionPair& function) {
  return function.before.calls.sum != 0 || function.after.calls.sum != 0;
}

bool TellsOfTheMachine(const MatchedTarget& target, const FunctionPair& function) {
  return function.toolchain_change < 0 && function.code != CodeChange::kChanged &&
         SameRatio(function.before.calls.sum, target.repetitions_before, function.after.calls.sum,
                   target.repetitions_after);
}

TimeEvidence EvidenceOf(const MatchedTarget& target, const CodeEvidence& code, uint32_t index) {
  const FunctionPair& function = target.functions[index];
  if (function.code == CodeChange::kChanged) return TimeEvidence::kChanged;
  if (function.code == CodeChange::kUnknown || !TellsOfTheMachine(target, function)) {
    return TimeEvidence::kUnknown;
  }
  return code.Reaches(index) ? TimeEvidence::kReached : TimeEvidence::kSame;
}

}  // namespace

// A slower function is slower in all targets that run it, unless that depends on its data. Ten
// targets with a hundred samples each are as much evidence as one with a thousand. So each function
// that is long enough in several targets has one more test: of the mean of its effects, weighted by
// the inverse of their variances (the fixed-effect model of meta-analysis; Cochran, "The
// combination of estimates from different experiments", 1954).
//
//   w = 1 / se²     effect = Σ w·effect / Σ w     se² = 1 / Σ w + variance between builds
//
// The targets' own tests stay. A function that is slower in one target only is detected there.

namespace {

// Maximum distance, in standard errors, of a member's effect from that of its pool.
constexpr double kErrorsOfAgreement = 2;

TimeTest Pool(const std::vector<FunctionTime*>& members) {
  TimeTest pool = members.front()->test;
  double weights = 0, effects = 0, of_builds = 0;
  // A function that varies much in one target is assumed to do so in others.
  std::array<EffectError::Part, EffectError::kParts> parts;
  for (const FunctionTime* member : members) {
    const TimeTest& test = member->test;
    const double weight = 1 / std::max(test.error.Variance(), 1e-12);
    weights += weight;
    effects += weight * test.effect;
    of_builds += weight * weight * test.build_variance;
    for (size_t k = 0; k < parts.size(); ++k) {
      const EffectError::Part& part = test.error.parts()[k];
      parts[k].weight += part.weight / static_cast<double>(members.size());
      parts[k].variance += weight * weight * part.variance;
    }
    pool.minimum = std::min(pool.minimum, test.minimum);
    if (test.evidence == TimeEvidence::kChanged) pool.evidence = TimeEvidence::kChanged;
  }
  pool.effect = effects / weights;
  pool.build_variance = of_builds / (weights * weights);
  for (EffectError::Part& part : parts) part.variance /= weights * weights;
  pool.error = EffectError(parts);
  SetP(pool);
  return pool;
}

}  // namespace

std::vector<PooledTime> PoolTimes(const std::vector<FunctionTime*>& times) {
  absl::flat_hash_map<absl::string_view, size_t> numbers;  // by name: index of its list
  std::vector<std::vector<FunctionTime*>> of_names;
  for (FunctionTime* time : times) {
    if (!time->test.matters || time->name.empty()) continue;
    const auto [known, is_new] = numbers.try_emplace(time->name, of_names.size());
    if (is_new) of_names.emplace_back();
    of_names[known->second].push_back(time);
  }
  std::vector<PooledTime> pools;
  for (std::vector<FunctionTime*>& members : of_names) {
    if (members.size() < 2) continue;
    TimeTest test = Pool(members);
    pools.push_back({test, std::move(members)});
  }
  return pools;
}

void TellMembers(const PooledTime& pool) {
  if (!pool.test.changed) return;
  for (FunctionTime* member : pool.members) {
    TimeTest& test = member->test;
    const double distance = std::fabs(test.effect - pool.test.effect);
    const bool agrees =
        test.effect * pool.test.effect > 0 && distance <= kErrorsOfAgreement * StandardError(test);
    if (test.changed || !agrees) continue;
    test.effect = pool.test.effect;
    test.error = pool.test.error;
    test.build_variance = pool.test.build_variance;
    test.p = pool.test.p;
    test.changed = true;
    member->pooled_targets = static_cast<uint32_t>(pool.members.size());
  }
}

namespace {

void JudgeFamily(const std::vector<FunctionTime*>& times, const TimeModelOptions& options) {
  std::vector<TimeTest*> tests;
  for (FunctionTime* time : times) tests.push_back(&time->test);
  MeasureEffects(tests, options);
  std::vector<PooledTime> pools = PoolTimes(times);
  for (PooledTime& pool : pools) tests.push_back(&pool.test);
  ControlFalseDiscoveries(tests, options.false_discovery_rate);
  for (const PooledTime& pool : pools) TellMembers(pool);
}

}  // namespace

void JudgeTimes(const std::vector<TargetTimes*>& targets, const TimeOptions& options) {
  std::vector<FunctionTime*> self, total, instructions;
  for (TargetTimes* target : targets) {
    for (FunctionTime& time : target->self) self.push_back(&time);
    if (target->libraries.test.before_runs > 0) self.push_back(&target->libraries);
    for (FunctionTime& time : target->total) total.push_back(&time);
    for (FunctionTime& time : target->instructions) instructions.push_back(&time);
  }
  // Without a name, a whole target is not pooled with others.
  std::vector<FunctionTime> wholes;
  for (const TargetTimes* target : targets) {
    wholes.push_back({0, v1::Finding::TOTAL_TIME, target->whole, ""});
  }
  for (FunctionTime& whole : wholes) {
    if (whole.test.before_runs > 0 && whole.test.after_runs > 0) total.push_back(&whole);
  }
  base::RunBoth(
      targets.size() > 1, [&] { JudgeFamily(self, options.model); },
      [&] {
        JudgeFamily(total, options.model);
        JudgeFamily(instructions, options.model);
      });
  for (size_t i = 0; i < targets.size(); ++i) targets[i]->whole = wholes[i].test;
}

// The processor samples the program's position after a fixed number of instructions. So
// instructions are a number of samples, like time, and the same model applies (time_model.cc). But
// these samples are a family of their own: their variation is estimated from their runs alone. And
// machine speed does not affect them, so it is not corrected.
//
// A recording has instructions, but not the number per sample. All of its counts are multiples of
// that number, so it is estimated as their greatest common divisor. Few counts may have a larger
// one: then a sample is assumed to represent too many instructions, and the result is less certain
// than possible, never more.

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
  const bool code_changed = std::any_of(
      target.functions.begin(), target.functions.end(),
      [](const FunctionPair& function) { return function.code == CodeChange::kChanged; });
  std::vector<absl::Span<const double>> same, others;
  for (const FunctionPair& function : target.functions) {
    if (function.self_by_run.size() != runs.exposure.size()) continue;
    // Changed code may call a library more often, and these calls are not counted.
    const bool tells =
        (HasCountedCalls(function) || !code_changed) && TellsOfTheMachine(target, function);
    (tells ? same : others).push_back(function.self_by_run);
  }
  return EstimateSpeedFactors(runs, same, others);
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

// The test of the whole target's time. Other commits changed other functions, so runs of older
// commits are only used where the base's own were on another kind of machine.
TimeTest WholeTime(const MatchedTarget& target, const RunExposures& runs,
                   const std::vector<double>& speed,
                   absl::Span<const profile::ComputedProfile> before,
                   absl::Span<const profile::ComputedProfile> older,
                   absl::Span<const profile::ComputedProfile> after) {
  std::vector<double> samples;
  for (const auto& part : {before, older, after}) {
    for (const profile::ComputedProfile& profile : part) samples.push_back(profile.total_samples);
  }
  // Runs that were left out (ForgetOtherMachines) have no samples of any function.
  for (const FunctionPair& function : target.functions) {
    for (size_t run = 0; run < before.size() && run < function.self_by_run.size(); ++run) {
      if (std::isnan(function.self_by_run[run])) samples[run] = function.self_by_run[run];
    }
  }
  const auto own_end = samples.begin() + static_cast<std::ptrdiff_t>(before.size());
  const bool has_own =
      std::any_of(samples.begin(), own_end, [](double value) { return !std::isnan(value); });
  for (size_t run = before.size(); has_own && run < runs.before; ++run) {
    samples[run] = std::numeric_limits<double>::quiet_NaN();
  }
  return MakeTimeTest(runs, speed, samples);
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

// The sum by run of the functions' self times.
std::vector<double> SumByRun(const MatchedTarget& target, absl::Span<const uint32_t> functions,
                             size_t runs) {
  std::vector<double> samples(runs, 0);
  for (const uint32_t i : functions) {
    const ByRun& own = target.functions[i].self_by_run;
    for (size_t run = 0; run < std::min(runs, own.size()); ++run) samples[run] += own[run];
  }
  return samples;
}

// Of all uncounted code. An effect in one library may be made up for in another.
FunctionTime LibraryTime(const MatchedTarget& target, const RunExposures& runs,
                         const std::vector<double>& speed, const TimeOptions& options,
                         const TargetTimes& times) {
  std::vector<uint32_t> functions;
  for (uint32_t i = 0; i < target.functions.size(); ++i) {
    if (IsUncounted(target.functions[i])) functions.push_back(i);
  }
  const std::vector<double> samples = SumByRun(target, functions, runs.exposure.size());
  FunctionTime time{0, v1::Finding::LIBRARY_TIME, TestTimes(runs, speed, samples, options, times),
                    "[libraries]"};
  // The toolchain's time is tested once, over all functions.
  time.test.matters = time.test.matters && target.toolchain_changes.empty();
  const bool is_sampled =
      time.test.before_runs > 0 && time.test.after_runs > 0 &&
      time.test.before_samples + time.test.after_samples >= options.minimum_samples;
  return is_sampled ? time : FunctionTime();
}

}  // namespace

bool IsUncounted(const FunctionPair& function) {
  return function.is_module ||
         (!HasCountedCalls(function) && function.code != CodeChange::kChanged);
}

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
  std::vector<double> samples = SumByRun(target, functions, runs.exposure.size());
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
  times.whole = WholeTime(target, runs, speed, before, older, after);
  times.totals_measured = MostHaveStacks(before, after);
  const CodeEvidence code(target);
  const bool instructions = before.front().dimension == kInstructions;
  if (!instructions) times.libraries = LibraryTime(target, runs, speed, options, times);
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
