// Who calls whom on both sides of a matched target, how often and how large they are: what cost
// shifts are recognised by.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "reporter/counts/inlined_groups.h"
#include "reporter/matching/matched_target.h"
#include "reporter/matching/same_ratio.h"

namespace gprofhub::reporter {

// From so many samples on times have a say.
inline constexpr double kSamplesWithASay = 50;

// Counts per execution and per call, as far as they were divided.
inline bool NearlySame(double a, double b) { return std::fabs(a - b) <= 1e-9 * std::max(a, b); }

// Bytes of code that a function of its own costs: its beginning and end, the profiling
// call, and the call of it.
inline constexpr uint64_t kOwnFunction = 40;

// Asks about functions by their index. The target outlives it.
class CallPattern {
 public:
  explicit CallPattern(const MatchedTarget& target)
      : target_(target),
        callers_(target.functions.size()),
        callees_(target.functions.size()),
        groups_(target) {
    for (const ArcPair& arc : target.arcs) {
      if (arc.caller == arc.callee) continue;
      if (arc.caller != kSpontaneous) callees_[arc.caller].push_back(&arc);
      callers_[arc.callee].push_back(&arc);
    }
  }

  bool Same(const Count& before, const Count& after) const {
    return SameRatio(before.sum, target_.repetitions_before, after.sum, target_.repetitions_after);
  }

  // How many times as often the function's callers are called; 0: they are not all the same on both
  // sides, or differ in it.
  double RatioOfCallers(uint32_t function) const {
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

  bool WorkIsConservedPerCall(uint32_t function) const {
    const double ratio = RatioOfCallers(function);
    if (ratio == 0) return false;
    for (const ArcPair* own : callees_[function]) {
      double before = PerBefore(own->before.sum), after = PerAfter(own->after.sum);
      for (const ArcPair* arc : callers_[own->callee]) {
        if (arc->caller == kSpontaneous || !Calls(arc->caller, function)) continue;
        before += PerBefore(arc->before.sum);
        after += PerAfter(arc->after.sum);
      }
      if (!NearlySame(before * ratio, after)) return false;
    }
    return true;
  }

  // A caller of `arc` that is the same function on both sides.
  const FunctionPair* CallerThatStayed(const ArcPair& arc) const {
    if (arc.caller == kSpontaneous) return nullptr;
    const FunctionPair& caller = target_.functions[arc.caller];
    return caller.before.present() && caller.after.present() ? &caller : nullptr;
  }

  // One that is called as often, too.
  const FunctionPair* SteadyCaller(const ArcPair& arc) const {
    const FunctionPair* const caller = CallerThatStayed(arc);
    return caller != nullptr && Same(caller->before.calls, caller->after.calls) ? caller : nullptr;
  }

  // Whether `caller` calls something that `function` called as much more often.
  bool TookOverCalls(uint32_t caller, uint32_t function) const {
    for (const ArcPair* lost : callees_[function]) {
      if (lost->before.sum == 0) continue;
      for (const ArcPair* gained : callees_[caller]) {
        if (gained->callee == lost->callee && PerAfter(*gained) > PerBefore(*gained)) return true;
      }
    }
    return false;
  }

  double PerBefore(uint64_t sum) const {
    return static_cast<double>(sum) / static_cast<double>(target_.repetitions_before);
  }
  double PerAfter(uint64_t sum) const {
    return static_cast<double>(sum) / static_cast<double>(target_.repetitions_after);
  }
  double PerBefore(const ArcPair& arc) const { return PerBefore(arc.before.sum); }
  double PerAfter(const ArcPair& arc) const { return PerAfter(arc.after.sum); }

  // Whether the functions together take no more of the target's samples than
  // before, as far as their number can tell.
  bool NoSlower(const std::vector<uint32_t>& functions) const {
    double before = 0, after = 0;
    for (const uint32_t i : functions) {
      before += target_.functions[i].before.self_samples;
      after += target_.functions[i].after.self_samples;
    }
    before /= static_cast<double>(target_.repetitions_before);
    after /= static_cast<double>(target_.repetitions_after);
    const double samples = before + after;
    if (samples < kSamplesWithASay) return true;
    return after - before <= 0.1 * before + 3 * std::sqrt(samples);
  }

  // Whether they take noticeably less.
  bool Faster(uint32_t vanished, uint32_t caller) const {
    const FunctionPair& gone = target_.functions[vanished];
    const FunctionPair& stays = target_.functions[caller];
    const double lost = gone.before.self_samples / static_cast<double>(target_.repetitions_before);
    if (lost < kSamplesWithASay) return false;
    const double gained =
        stays.after.self_samples / static_cast<double>(target_.repetitions_after) -
        stays.before.self_samples / static_cast<double>(target_.repetitions_before);
    const double error = std::sqrt(lost + 2 * stays.before.self_samples /
                                              static_cast<double>(target_.repetitions_before));
    return gained + 3 * error < 0.5 * lost;
  }

  // Whether calls of it are inlined at the head (`after`), or at the base, as far as is known.
  bool InlinesCallsOf(uint32_t function, bool after) const {
    const FunctionPair& pair = target_.functions[function];
    const FunctionSide& side = after ? pair.after : pair.before;
    return !side.toolchain.empty() && side.may_be_inlined;
  }

  // On any side.
  bool Calls(uint32_t caller, uint32_t callee) const {
    return std::any_of(callers_[callee].begin(), callers_[callee].end(),
                       [&](const ArcPair* arc) { return arc->caller == caller; });
  }

  // Whether `caller` may end in calls of the new function: such a call is a jump, so it is counted
  // where `caller` was called from, or where it is inlined now.
  bool MayEndInCallsOf(uint32_t caller, uint32_t function) const {
    const auto& entries = callers_[caller];
    const auto is_counted_there = [&](const ArcPair* arc) {
      return std::any_of(entries.begin(), entries.end(), [&](const ArcPair* into) {
        if (into->caller != arc->caller || into->caller == kSpontaneous) return false;
        if (into->after.sum >= arc->after.sum) return true;
        return PerBefore(*into) >= PerAfter(*arc) &&
               groups_.InlinedOtherwise(groups_.GroupOf(into->caller), caller, true);
      });
    };
    return std::all_of(callers_[function].begin(), callers_[function].end(), is_counted_there);
  }

  // Functions beside the new one that may end in calls of it and shrank by about as much code as it
  // has.
  std::vector<uint32_t> GiversOfTheirEnd(uint32_t function) const {
    const uint64_t size = target_.functions[function].after.size;
    std::vector<uint32_t> givers;
    if (size == 0 || callers_[function].empty()) return givers;
    const uint32_t caller = callers_[function].front()->caller;
    if (caller == kSpontaneous) return givers;
    for (const ArcPair* arc : callees_[caller]) {
      const FunctionPair& giver = target_.functions[arc->callee];
      if (arc->callee == function || giver.before.size <= giver.after.size) continue;
      if (giver.after.size == 0 || !MayEndInCallsOf(arc->callee, function)) continue;
      if (giver.after.size + size <= giver.before.size + 2 * kOwnFunction) {
        givers.push_back(arc->callee);
      }
    }
    return givers;
  }

  // The callers of the new function that shrank, if all together lost about as much
  // code as it has.
  std::vector<uint32_t> GiversOfCode(uint32_t function) const {
    const uint64_t size = target_.functions[function].after.size;
    uint64_t was = 0, is = 0;
    std::vector<uint32_t> givers;
    for (const ArcPair* arc : callers_[function]) {
      const FunctionPair* const caller = CallerThatStayed(*arc);
      if (caller == nullptr || caller->before.size == 0 || caller->after.size == 0) continue;
      was += caller->before.size;
      is += caller->after.size;
      if (caller->after.size < caller->before.size) givers.push_back(arc->caller);
    }
    const bool gave =
        size > 0 && was > is && (was - is >= size / 2 || is + size <= was + kOwnFunction);
    return gave ? givers : std::vector<uint32_t>();
  }

  // The function of the new one's file that shrank by a quarter or more, and was as
  // large as the new one is.
  std::vector<uint32_t> LeftAsStubs(uint32_t function) const {
    const FunctionSide& made = target_.functions[function].after;
    std::vector<uint32_t> stubs;
    if (made.size == 0 || made.file.empty()) return stubs;
    for (uint32_t i = 0; i < target_.functions.size(); ++i) {
      const FunctionPair& other = target_.functions[i];
      if (!other.before.present() || other.before.file != made.file) continue;
      const bool shrank =
          other.after.present() && other.after.size <= other.before.size - other.before.size / 4;
      const uint64_t larger = std::max(other.before.size, made.size);
      const uint64_t difference = larger - std::min(other.before.size, made.size);
      if (shrank && difference <= larger / 20) stubs.push_back(i);
    }
    if (stubs.size() > 1) stubs.clear();
    return stubs;
  }

 protected:
  const MatchedTarget& target_;
  std::vector<std::vector<const ArcPair*>> callers_;  // by callee
  std::vector<std::vector<const ArcPair*>> callees_;  // by caller
  InlinedGroups groups_;
};

}  // namespace gprofhub::reporter
