#include "reporter/shifts/call_pattern.h"

#include <algorithm>
#include <cmath>

#include "reporter/matching/same_ratio.h"

namespace gprofhub::reporter {
namespace {

// Minimum number of samples for times to be used.
constexpr double kSamplesWithASay = 50;
// Tolerances: relative, for effects of code layout, and in standard errors, for chance.
constexpr double kTolerated = 0.1;
constexpr double kErrors = 3;

// Samples per execution, summed over several functions.
struct Samples {
  double before = 0, after = 0;
};

Samples SamplesOf(const MatchedTarget& target, absl::Span<const uint32_t> functions) {
  Samples samples;
  for (const uint32_t i : functions) {
    samples.before += target.functions[i].before.self_samples;
    samples.after += target.functions[i].after.self_samples;
  }
  samples.before /= static_cast<double>(target.repetitions_before);
  samples.after /= static_cast<double>(target.repetitions_after);
  return samples;
}

bool WithinErrors(const Samples& samples, double tolerated) {
  return samples.after - samples.before <=
         tolerated + kErrors * std::sqrt(samples.before + samples.after);
}

}  // namespace

bool NearlySame(double a, double b) { return std::fabs(a - b) <= 1e-9 * std::max(a, b); }

CallPattern::CallPattern(const MatchedTarget& target)
    : target_(target),
      callers_(target.functions.size(),
               [&](const auto& add) {
                 for (const ArcPair& arc : target.arcs) {
                   if (arc.caller != arc.callee) add(arc.callee, &arc);
                 }
               }),
      callees_(target.functions.size(), [&](const auto& add) {
        for (const ArcPair& arc : target.arcs) {
          if (arc.caller != arc.callee && arc.caller != kSpontaneous) add(arc.caller, &arc);
        }
      }) {}

double CallPattern::PerBefore(uint64_t sum) const {
  return static_cast<double>(sum) / static_cast<double>(target_.repetitions_before);
}

double CallPattern::PerAfter(uint64_t sum) const {
  return static_cast<double>(sum) / static_cast<double>(target_.repetitions_after);
}

double CallPattern::Per(const ArcPair& arc, bool at_head) const {
  return at_head ? PerAfter(arc) : PerBefore(arc);
}

bool CallPattern::Same(const Count& before, const Count& after) const {
  return SameRatio(before.sum, target_.repetitions_before, after.sum, target_.repetitions_after);
}

bool CallPattern::Calls(uint32_t caller, uint32_t callee) const {
  return std::any_of(callers_[callee].begin(), callers_[callee].end(),
                     [&](const ArcPair* arc) { return arc->caller == caller; });
}

const FunctionPair* CallPattern::CallerThatStayed(const ArcPair& arc) const {
  if (arc.caller == kSpontaneous) return nullptr;
  const FunctionPair& caller = target_.functions[arc.caller];
  return caller.before.present() && caller.after.present() ? &caller : nullptr;
}

const FunctionPair* CallPattern::SteadyCaller(const ArcPair& arc) const {
  const FunctionPair* const caller = CallerThatStayed(arc);
  return caller != nullptr && Same(caller->before.calls, caller->after.calls) ? caller : nullptr;
}

double CallPattern::RatioOfCallers(uint32_t function) const {
  double ratio = 0;
  for (const ArcPair* arc : callers_[function]) {
    if (arc->caller == kSpontaneous) return 0;
    const FunctionPair& caller = target_.functions[arc->caller];
    if (caller.before.calls.sum == 0 || caller.after.calls.sum == 0) return 0;
    const double own = PerAfter(caller.after.calls.sum) / PerBefore(caller.before.calls.sum);
    if (ratio != 0 && !NearlySame(own, ratio)) return 0;
    ratio = own;
  }
  return ratio;
}

bool CallPattern::TookOverCalls(uint32_t caller, uint32_t function) const {
  for (const ArcPair* lost : callees_[function]) {
    if (lost->before.sum == 0) continue;
    for (const ArcPair* gained : callees_[caller]) {
      if (gained->callee == lost->callee && PerAfter(*gained) > PerBefore(*gained)) return true;
    }
  }
  return false;
}

bool CallPattern::InlinesCallsOf(uint32_t function, bool after) const {
  const FunctionPair& pair = target_.functions[function];
  const FunctionSide& side = after ? pair.after : pair.before;
  return !side.toolchain.empty() && side.may_be_inlined;
}

bool CallPattern::NoSlower(absl::Span<const uint32_t> functions) const {
  const Samples samples = SamplesOf(target_, functions);
  return samples.before + samples.after < kSamplesWithASay ||
         WithinErrors(samples, kTolerated * samples.before);
}

bool CallPattern::MakeUpFor(absl::Span<const uint32_t> functions,
                            absl::Span<const uint32_t> these) const {
  const Samples own = SamplesOf(target_, functions);
  return WithinErrors(SamplesOf(target_, these), kTolerated * std::max(own.before, own.after));
}

bool CallPattern::Faster(uint32_t vanished, uint32_t caller) const {
  const FunctionPair& gone = target_.functions[vanished];
  const FunctionPair& stays = target_.functions[caller];
  const double lost = gone.before.self_samples / static_cast<double>(target_.repetitions_before);
  if (lost < kSamplesWithASay) return false;
  const double gained = stays.after.self_samples / static_cast<double>(target_.repetitions_after) -
                        stays.before.self_samples / static_cast<double>(target_.repetitions_before);
  const double error = std::sqrt(lost + 2 * stays.before.self_samples /
                                            static_cast<double>(target_.repetitions_before));
  return gained + kErrors * error < 0.5 * lost;
}

}  // namespace gprofhub::reporter
