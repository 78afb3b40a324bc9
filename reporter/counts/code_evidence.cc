// With one run on each side, the counts alone cannot separate chance from change. The code can.
// Unchanged code behaves as before, as far as its behaviour does not depend on time, addresses,
// other threads or data. And changed code affects only the changed functions, their callees (other
// arguments, more calls) and their callers (other results). So a difference of counts that began
// anywhere else is chance. This needs neither history nor a second run.
//
// The set of functions that a change of code reaches:
//
//   reached = changed ∪ {transitive callees of changed} ∪ {transitive callers of changed}
//
// A function of one side only counts as reached if it calls, or is called from, a reached function.
// It never counts as changed: its program may have contained it before without calling it.
//
// A change that began on an arc out of f is accepted
// - in any case, if both sides have several runs that agree: then the test's data changed;
// - if f is reached, and the count is exact, or both sides have several runs, or nothing else in
//   the target varies by chance;
// - if f's own code changed.
//
// Functions that vary by chance in one target are noise in all others: spinning, waiting and hashes
// of addresses are in the same functions everywhere. One run is no evidence for the calls of such a
// function.
#include "reporter/counts/code_evidence.h"

#include <utility>

#include "base/memory/grouped.h"

namespace gprofhub::reporter {

CodeEvidence::CodeEvidence(const MatchedTarget& target)
    : target_(target), reached_(target.functions.size(), false) {
  for (size_t i = 0; i < target.functions.size(); ++i) {
    const CodeChange code = target.functions[i].code;
    known_ = known_ || code != CodeChange::kUnknown;
    any_changed_ = any_changed_ || code == CodeChange::kChanged;
  }
  if (!any_changed_) return;
  std::vector<bool> below, above;
  for (const bool to_callers : {false, true}) {
    Spread(to_callers);
    (to_callers ? above : below) = std::move(reached_);
  }
  reached_ = std::move(below);
  for (size_t i = 0; i < reached_.size(); ++i) reached_[i] = reached_[i] || above[i];
  ReachWhatOneSideHas();
}

// Sets reached_ for changed functions and their transitive callees, or callers.
void CodeEvidence::Spread(bool to_callers) {
  const size_t count = target_.functions.size();
  const base::Grouped<uint32_t> next(count, [&](const auto& add) {
    for (const ArcPair& arc : target_.arcs) {
      if (arc.caller == kSpontaneous) continue;
      to_callers ? add(arc.callee, arc.caller) : add(arc.caller, arc.callee);
    }
  });
  reached_.assign(count, false);
  std::vector<uint32_t> pending;
  for (uint32_t i = 0; i < count; ++i) {
    if (target_.functions[i].code != CodeChange::kChanged) continue;
    reached_[i] = true;
    pending.push_back(i);
  }
  while (!pending.empty()) {
    const uint32_t function = pending.back();
    pending.pop_back();
    for (const uint32_t other : next[function]) {
      if (reached_[other]) continue;
      reached_[other] = true;
      pending.push_back(other);
    }
  }
}

// A new function may appear as a sibling of the changed function that calls it: a tail call is a
// jump, and is counted as a call of the caller's.
void CodeEvidence::ReachWhatOneSideHas() {
  const auto one_sided = [&](uint32_t i) {
    return target_.functions[i].before.present() != target_.functions[i].after.present();
  };
  for (bool is_new = true; is_new;) {
    is_new = false;
    for (const ArcPair& arc : target_.arcs) {
      if (arc.caller == kSpontaneous || reached_[arc.caller] == reached_[arc.callee]) continue;
      const uint32_t other = reached_[arc.caller] ? arc.callee : arc.caller;
      if (!one_sided(other)) continue;
      reached_[other] = is_new = true;
    }
  }
}

bool CodeEvidence::Reaches(uint32_t function) const {
  return function == kSpontaneous ? any_changed_ : reached_[function];
}

std::vector<bool> CodeEvidence::Apart() const {
  std::vector<bool> apart;
  if (!known_) return apart;
  for (const bool reached : reached_) apart.push_back(!reached);
  apart.push_back(!any_changed_);
  return apart;
}

bool CodeEvidence::Supports(const ArcPair& arc, const CountChange& change,
                            const NoisyFunctions& noisy, bool restless) const {
  if (!known_) return true;
  const bool is_exact = change.certainty == CountCertainty::kExact;
  const bool several_runs = target_.runs_before > 1 && target_.runs_after > 1;
  if (is_exact && several_runs) return true;
  if (!Reaches(arc.caller)) return false;
  if (noisy.contains(target_.functions[arc.callee].name)) return several_runs;
  if (is_exact || several_runs || !restless) return true;
  return arc.caller != kSpontaneous && target_.functions[arc.caller].code == CodeChange::kChanged;
}

}  // namespace gprofhub::reporter
