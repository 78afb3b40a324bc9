#include "reporter/comparison/moved_calls.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "reporter/comparison/pair_call_sites.h"

namespace gprofhub::reporter {

namespace {

// Minimum number of samples for times to be used.
constexpr double kSamplesWithASay = 50;
// Tolerances: relative, for effects of code layout, and in standard errors, for chance.
constexpr double kTolerated = 0.1;
constexpr double kMovedErrors = 3;

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
         tolerated + kMovedErrors * std::sqrt(samples.before + samples.after);
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
  return gained + kMovedErrors * error < 0.5 * lost;
}

FunctionGroups::FunctionGroups(size_t functions) {
  group_of_.reserve(functions);
  members_.reserve(functions);
  for (uint32_t i = 0; i < functions; ++i) {
    group_of_.push_back(i);
    members_.push_back({i});
  }
}

void FunctionGroups::Join(uint32_t a, uint32_t b) {
  uint32_t into = group_of_[a], from = group_of_[b];
  if (into == from) return;
  if (members_[into].size() < members_[from].size()) std::swap(into, from);
  for (const uint32_t member : members_[from]) {
    group_of_[member] = into;
    members_[into].push_back(member);
  }
  members_[from].clear();
}

RestoredArcs::RestoredArcs(MatchedTarget& target) : target_(target) { Index(); }

void RestoredArcs::Index() {
  out_of_.clear();
  into_.clear();
  for (size_t i = 0; i < target_.arcs.size(); ++i) IndexArc(i);
}

void RestoredArcs::IndexArc(size_t arc) {
  into_[target_.arcs[arc].callee].push_back(arc);
  if (target_.arcs[arc].caller != kSpontaneous) out_of_[target_.arcs[arc].caller].push_back(arc);
}

absl::Span<const size_t> RestoredArcs::OutOf(uint32_t function) const {
  const auto found = out_of_.find(function);
  return found == out_of_.end() ? absl::Span<const size_t>() : found->second;
}

absl::Span<const size_t> RestoredArcs::Into(uint32_t function) const {
  const auto found = into_.find(function);
  return found == into_.end() ? absl::Span<const size_t>() : found->second;
}

size_t RestoredArcs::Find(uint32_t caller, uint32_t callee) const {
  for (const size_t i : OutOf(caller)) {
    if (target_.arcs[i].callee == callee) return i;
  }
  return target_.arcs.size();
}

ArcPair& RestoredArcs::Between(uint32_t caller, uint32_t callee) {
  const size_t known = Find(caller, callee);
  if (known < target_.arcs.size()) return target_.arcs[known];
  ArcPair& arc = target_.arcs.emplace_back();
  arc.caller = caller;
  arc.callee = callee;
  IndexArc(known);
  return arc;
}

void RestoredArcs::Sort() {
  const auto is_empty = [](const ArcPair& arc) {
    return arc.before.sum == 0 && arc.after.sum == 0 && (arc.before.restored || arc.after.restored);
  };
  target_.arcs.erase(std::remove_if(target_.arcs.begin(), target_.arcs.end(), is_empty),
                     target_.arcs.end());
  std::sort(target_.arcs.begin(), target_.arcs.end(), [](const ArcPair& a, const ArcPair& b) {
    return std::make_pair(a.callee, a.caller) < std::make_pair(b.callee, b.caller);
  });
  Index();
}

KnownShifts::KnownShifts(const MatchedTarget& target)
    : pattern(target),
      groups(target.functions.size()),
      moved(target.functions.size()),
      shifts(target.functions.size()) {}

bool KnownShifts::Inlines(uint32_t into, uint32_t callee, bool at_head) const {
  const FunctionPair& pair = pattern.Function(into);
  return (at_head ? pair.after : pair.before).Inlines(callee);
}

bool KnownShifts::InlinedInto(uint32_t group, uint32_t callee, bool at_head) const {
  const absl::Span<const uint32_t> members = groups.Members(group);
  return std::any_of(members.begin(), members.end(),
                     [&](uint32_t member) { return Inlines(member, callee, at_head); });
}

bool KnownShifts::InlinedOtherwise(uint32_t group, uint32_t callee, bool at_head) const {
  return InlinedInto(group, callee, at_head) && !InlinedInto(group, callee, !at_head);
}

bool KnownShifts::NoSlower(const std::vector<uint32_t>& functions) const {
  if (pattern.NoSlower(functions)) return true;
  std::vector<uint32_t> groups_of;
  for (const uint32_t i : functions) groups_of.push_back(moved.GroupOf(i));
  std::sort(groups_of.begin(), groups_of.end());
  groups_of.erase(std::unique(groups_of.begin(), groups_of.end()), groups_of.end());
  std::vector<uint32_t> all;
  for (const uint32_t group : groups_of) {
    all.insert(all.end(), moved.Members(group).begin(), moved.Members(group).end());
  }
  return pattern.MakeUpFor(functions, all);
}

void KnownShifts::Note(uint32_t function, v1::Shift::Kind kind, const std::vector<uint32_t>& with) {
  const FunctionPair& pair = pattern.Function(function);
  v1::Shift& shift = shifts[function];
  shift.Clear();
  shift.set_kind(kind);
  for (const uint32_t other : with) {
    shift.add_with(std::string(pattern.Function(other).name));
    moved.Join(function, other);
    if (pair.before.present() != pair.after.present()) groups.Join(function, other);
  }
}

namespace {

// Code size overhead of a separate function, in bytes: prologue and epilogue, the profiling call,
// and the call of it.
constexpr uint64_t kOwnFunction = 40;

void AddOnce(uint32_t function, std::vector<uint32_t>& list) {
  if (std::find(list.begin(), list.end(), function) == list.end()) list.push_back(function);
}

// Whether `caller` may tail-call the new function: a tail call is a jump, so it is counted as a
// call from `caller`'s caller, or from where `caller` is inlined now.
bool MayEndInCallsOf(const KnownShifts& known, uint32_t caller, uint32_t function) {
  const CallPattern& pattern = known.pattern;
  const CallPattern::Arcs entries = pattern.Callers(caller);
  const auto is_counted_there = [&](const ArcPair* arc) {
    return std::any_of(entries.begin(), entries.end(), [&](const ArcPair* into) {
      if (into->caller != arc->caller || into->caller == kSpontaneous) return false;
      if (into->after.sum >= arc->after.sum) return true;
      return pattern.PerBefore(*into) >= pattern.PerAfter(*arc) &&
             known.InlinedOtherwise(known.groups.GroupOf(into->caller), caller, true);
    });
  };
  const CallPattern::Arcs callers = pattern.Callers(function);
  return std::all_of(callers.begin(), callers.end(), is_counted_there);
}

// Empty if it calls something new.
std::vector<uint32_t> GiversOfCalls(const KnownShifts& known, uint32_t function) {
  const CallPattern& pattern = known.pattern;
  std::vector<uint32_t> givers;
  for (const ArcPair* taken : pattern.Callees(function)) {
    if (taken->after.sum == 0) continue;
    if (!pattern.Function(taken->callee).before.present()) return {};
    for (const ArcPair* given : pattern.Callers(taken->callee)) {
      const uint32_t giver = given->caller;
      if (giver == kSpontaneous || giver == function) continue;
      if (pattern.PerAfter(*given) >= pattern.PerBefore(*given)) continue;
      const bool gone = !pattern.Function(giver).after.present();
      if (gone || pattern.Calls(giver, function) || MayEndInCallsOf(known, giver, function)) {
        AddOnce(giver, givers);
      }
    }
  }
  // Calls that it inlines are not counted.
  for (const uint32_t inlined : pattern.Function(function).after.inlined) {
    for (const ArcPair* given : pattern.Callers(inlined)) {
      if (given->caller == kSpontaneous || given->caller == function) continue;
      if (pattern.PerAfter(*given) >= pattern.PerBefore(*given)) continue;
      if (pattern.Calls(given->caller, function)) AddOnce(given->caller, givers);
    }
  }
  return givers;
}

std::vector<uint32_t> GiversOfTheirEnd(const KnownShifts& known, uint32_t function) {
  const CallPattern& pattern = known.pattern;
  const uint64_t size = pattern.Function(function).after.size;
  std::vector<uint32_t> givers;
  if (size == 0 || pattern.Callers(function).empty()) return givers;
  const uint32_t caller = pattern.Callers(function).front()->caller;
  if (caller == kSpontaneous) return givers;
  for (const ArcPair* arc : pattern.Callees(caller)) {
    const FunctionPair& giver = pattern.Function(arc->callee);
    if (arc->callee == function || giver.before.size <= giver.after.size) continue;
    if (giver.after.size == 0 || !MayEndInCallsOf(known, arc->callee, function)) continue;
    if (giver.after.size + size <= giver.before.size + 2 * kOwnFunction) {
      givers.push_back(arc->callee);
    }
  }
  return givers;
}

std::vector<uint32_t> GiversOfCode(const CallPattern& pattern, uint32_t function) {
  const uint64_t size = pattern.Function(function).after.size;
  uint64_t was = 0, is = 0;
  std::vector<uint32_t> givers;
  for (const ArcPair* arc : pattern.Callers(function)) {
    const FunctionPair* const caller = pattern.CallerThatStayed(*arc);
    if (caller == nullptr || caller->before.size == 0 || caller->after.size == 0) continue;
    was += caller->before.size;
    is += caller->after.size;
    if (caller->after.size < caller->before.size) givers.push_back(arc->caller);
  }
  const bool gave =
      size > 0 && was > is && (was - is >= size / 2 || is + size <= was + kOwnFunction);
  return gave ? givers : std::vector<uint32_t>();
}

std::vector<uint32_t> LeftAsStubs(const MatchedTarget& target, uint32_t function) {
  const FunctionSide& made = target.functions[function].after;
  std::vector<uint32_t> stubs;
  if (made.size == 0 || made.file.empty()) return stubs;
  for (uint32_t i = 0; i < target.functions.size(); ++i) {
    const FunctionPair& other = target.functions[i];
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

}  // namespace

std::vector<uint32_t> Counterparts(const KnownShifts& known, uint32_t function) {
  const CallPattern& pattern = known.pattern;
  const bool vanished = pattern.Function(function).before.present();
  const double ratio = pattern.RatioOfCallers(function);
  std::vector<uint32_t> found;
  for (const ArcPair* arc : pattern.Callers(function)) {
    if (arc->caller == kSpontaneous) continue;
    for (const ArcPair* other : pattern.Callees(arc->caller)) {
      const uint32_t was = vanished ? function : other->callee;
      const uint32_t is = vanished ? other->callee : function;
      const FunctionPair& old = pattern.Function(was);
      const FunctionPair& made = pattern.Function(is);
      if (!old.before.present() || old.after.present()) continue;
      if (made.before.present() || !made.after.present()) continue;
      if (pattern.Function(other->callee).is_module) continue;
      // A function outlined from it is not its successor.
      if (known.Inlines(was, is, false)) continue;
      const double before = pattern.PerBefore(old.before.calls.sum);
      const double after = pattern.PerAfter(made.after.calls.sum);
      if (pattern.Same(old.before.calls, made.after.calls) ||
          (ratio != 0 && NearlySame(before * ratio, after))) {
        AddOnce(other->callee, found);
      }
    }
  }
  return found;
}

Givers GiversOf(const KnownShifts& known, uint32_t function) {
  Givers givers;
  for (const uint32_t giver : GiversOfCalls(known, function)) {
    const bool gone = !known.pattern.Function(giver).after.present();
    (gone ? givers.whole : givers.parts).push_back(giver);
  }
  if (givers.whole.empty() && givers.parts.empty()) {
    givers.parts = GiversOfCode(known.pattern, function);
  }
  if (givers.whole.empty() && givers.parts.empty()) {
    givers.parts = GiversOfTheirEnd(known, function);
  }
  if (givers.whole.empty() && givers.parts.empty()) {
    givers.whole = LeftAsStubs(known.pattern.target(), function);
  }
  return givers;
}

namespace {

// The shift of a function as a whole, if it left the function's work to others.
bool LeavesWork(const v1::Finding& finding) {
  return finding.metric() == v1::Finding::CALLS && finding.caller().empty() &&
         finding.verdict() == v1::Finding::SHIFTED && finding.after() == 0 &&
         MovesCalls(finding.shift());
}

// Whether one of the functions that took over the work runs in the target.
bool HasTaker(const MatchedTarget& target, const v1::Shift& shift) {
  return std::any_of(
      target.functions.begin(), target.functions.end(), [&shift](const FunctionPair& function) {
        return function.after.present() && std::find(shift.with().begin(), shift.with().end(),
                                                     function.name) != shift.with().end();
      });
}

}  // namespace

void ShiftInAllTargets(const std::vector<TargetCalls>& targets) {
  absl::flat_hash_map<std::string, v1::Shift> shifts;
  for (const TargetCalls& calls : targets) {
    for (const v1::Finding& finding : *calls.findings) {
      if (LeavesWork(finding)) shifts.try_emplace(finding.function(), finding.shift());
    }
  }
  for (const TargetCalls& calls : targets) {
    for (v1::Finding& finding : *calls.findings) {
      const auto shift = shifts.find(finding.function());
      const bool vanished =
          finding.verdict() == v1::Finding::VANISHED && finding.metric() == v1::Finding::CALLS;
      if (!vanished || shift == shifts.end()) continue;
      if (!HasTaker(*calls.target, shift->second)) continue;
      finding.set_verdict(v1::Finding::SHIFTED);
      finding.set_material(false);
      *finding.mutable_shift() = shift->second;
    }
  }
}

}  // namespace gprofhub::reporter
