// With one run on each side, the counts alone cannot separate chance from change. The code can.
// Unchanged code behaves as before, as far as its behaviour does not depend on time, addresses,
// other threads or data. Changed code affects
//
// - itself, its callees (other arguments, more calls) and its callers (other results). These are
//   its reach:
//
//     reached = changed ∪ {transitive callees of changed} ∪ {transitive callers of changed}
//
// - through memory, every function of the program: an initialiser stores another value, and
//   unchanged code that runs later reads it. Calls do not show this.
//
// So where no code of a target changed, a difference of counts is chance, or the test's data
// changed. Where some did, a difference outside its reach has two explanations: memory, or chance.
// That a count varies is evidence of chance: between runs or executions, in the history, or in
// another target whose code is the same. Without evidence the change is unconfirmed: inconclusive,
// and one more run of the head shows whether it repeats.
//
// A function of one side only counts as reached if it calls, or is called from, a reached function.
// It never counts as changed: its program may have contained it before without calling it.
//
// A change that began on an arc out of f is accepted
// - in any case, if both sides have several runs that agree: then data changed;
// - if f is reached, and the count is exact, or both sides have several runs, or nothing else in
//   the target differs apart from changed code;
// - if f's own code changed;
// - if code changed anywhere, and the head's count is confirmed (CountChange::confirmed).
//
// Where both sides ran in different environments (environments.h), several runs of each side agree,
// and still differ because of that. Then only changes that began in edited functions are accepted.
//
// Functions that vary by chance in one target do so in all others: spinning, waiting and hashes
// of addresses are in the same functions everywhere. One run is no evidence for the calls of such a
// function, nor of one that may vary.
#include "reporter/comparison/code_evidence.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "profile/raw_profile.h"

namespace gprofhub::reporter {

CodeEvidence::CodeEvidence(const MatchedTarget& target)
    : target_(target), reached_(target.functions.size(), false) {
  for (const FunctionPair& function : target.functions) {
    known_ = known_ || function.code != CodeChange::kUnknown;
  }
  any_changed_ = target.AnyEdited();
  if (!any_changed_) return;
  std::vector<uint32_t> changed;
  for (uint32_t i = 0; i < reached_.size(); ++i) {
    if (target.functions[i].code == CodeChange::kChanged) changed.push_back(i);
  }
  const std::vector<bool> below = FunctionsReached(target, changed, /*to_callers=*/false);
  const std::vector<bool> above = FunctionsReached(target, changed, /*to_callers=*/true);
  for (size_t i = 0; i < reached_.size(); ++i) reached_[i] = below[i] || above[i];
  for (const uint32_t i : changed) reached_[i] = true;
  ReachWhatOneSideHas();
}

std::vector<uint8_t> AskedNear(const MatchedTarget& target) {
  // Loops often ask through a function such as Deadline::HasPassed, and that through Clock::Now.
  constexpr int kCalls = 2;
  std::vector<uint8_t> asked;
  for (const FunctionPair& function : target.functions) asked.push_back(function.asks);
  for (int call = 0; call < kCalls; ++call) {
    const std::vector<uint8_t> before = asked;
    for (const ArcPair& arc : target.arcs) {
      if (arc.caller != kSpontaneous) asked[arc.caller] |= before[arc.callee];
    }
  }
  return asked;
}

namespace {

struct Asked {
  uint8_t bit;
  absl::string_view name, words;
};

constexpr Asked kAsked[] = {
    {profile::kAsksClock, "clock", "the clock"},
    {profile::kAsksRandom, "random numbers", "random numbers"},
    {profile::kAsksProcessors, "processors", "the number of processors"},
    {profile::kAsksProcess, "process", "the number of the process"},
};

}  // namespace

std::vector<std::string> NamesOfAsked(uint8_t asks) {
  std::vector<std::string> names;
  for (const Asked& asked : kAsked) {
    if ((asks & asked.bit) != 0) names.emplace_back(asked.name);
  }
  return names;
}

absl::string_view WordsOfAsked(absl::string_view name) {
  for (const Asked& asked : kAsked) {
    if (asked.name == name) return asked.words;
  }
  return name;
}

std::vector<bool> FunctionsReached(const MatchedTarget& target, std::vector<uint32_t> from,
                                   bool to_callers) {
  const base::Grouped<uint32_t> next(target.functions.size(), [&](const auto& add) {
    for (const ArcPair& arc : target.arcs) {
      if (arc.caller == kSpontaneous || arc.caller == arc.callee) continue;
      to_callers ? add(arc.callee, arc.caller) : add(arc.caller, arc.callee);
    }
  });
  std::vector<bool> reached(target.functions.size(), false);
  while (!from.empty()) {
    const uint32_t function = from.back();
    from.pop_back();
    for (const uint32_t other : next[function]) {
      if (!reached[other]) from.push_back(other);
      reached[other] = true;
    }
  }
  return reached;
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

bool CodeEvidence::IsEdited(uint32_t function) const {
  if (function == kSpontaneous) return false;
  const FunctionPair& pair = target_.functions[function];
  return pair.code == CodeChange::kChanged ||
         (pair.before.present() != pair.after.present() && Reaches(function));
}

std::vector<bool> CodeEvidence::Apart() const {
  std::vector<bool> apart;
  if (!known_) return apart;
  for (const bool reached : reached_) apart.push_back(!reached);
  apart.push_back(!any_changed_);
  return apart;
}

Belief CodeEvidence::Judge(const ArcPair& arc, const CountChange& change,
                           const NoisyFunctions& noisy, bool restless) const {
  if (target_.other_environment && !IsEdited(arc.caller)) {
    return known_ && !any_changed_ ? Belief::kChance : Belief::kUnconfirmed;
  }
  if (!known_) return Belief::kAccepted;
  const bool is_exact = change.certainty == CountCertainty::kExact;
  const bool several_runs = target_.runs_before > 1 && target_.runs_after > 1;
  if (is_exact && several_runs) return Belief::kAccepted;
  if (!any_changed_) return Belief::kChance;
  const absl::string_view callee = target_.functions[arc.callee].name;
  const bool varies = noisy.varying.contains(callee);
  const bool is_noisy = varies || noisy.suspected.contains(callee);
  const bool own_code_changed =
      arc.caller != kSpontaneous && target_.functions[arc.caller].code == CodeChange::kChanged;
  bool is_accepted = false;
  if (!Reaches(arc.caller)) {
    is_accepted = change.confirmed && !is_noisy;
  } else if (is_noisy) {
    is_accepted = several_runs;
  } else {
    is_accepted = is_exact || several_runs || !restless || own_code_changed;
  }
  if (is_accepted) return Belief::kAccepted;
  // A change beyond the variation that was measured is not explained by it.
  const bool is_measured = change.certainty == CountCertainty::kVaries;
  return varies && !own_code_changed && !is_measured ? Belief::kChance : Belief::kUnconfirmed;
}

Belief CodeEvidence::JudgeApart() const {
  if (target_.other_environment) return any_changed_ ? Belief::kUnconfirmed : Belief::kChance;
  if (any_changed_) return target_.runs_after > 1 ? Belief::kAccepted : Belief::kUnconfirmed;
  return target_.runs_before > 1 && target_.runs_after > 1 ? Belief::kAccepted : Belief::kChance;
}

NearbyEdits::NearbyEdits(const MatchedTarget& target)
    : target_(target), neighbours_(target.functions.size(), [&](const auto& add) {
        for (const ArcPair& arc : target.arcs) {
          if (arc.caller == kSpontaneous) continue;
          add(arc.caller, arc.callee);
          add(arc.callee, arc.caller);
        }
      }) {
  for (const FunctionPair& function : target.functions) {
    edited_ += function.code == CodeChange::kChanged;
  }
}

std::vector<std::string> NearbyEdits::Of(uint32_t function, size_t most) const {
  const size_t count = target_.functions.size();
  most = std::min(most, edited_);
  std::vector<std::string> changed;
  std::vector<bool> seen(count, false);
  const auto visit = [&](std::vector<uint32_t> pending) {
    for (size_t at = 0; at < pending.size() && changed.size() < most; ++at) {
      const FunctionPair& found = target_.functions[pending[at]];
      if (found.code == CodeChange::kChanged) changed.emplace_back(found.name);
      for (const uint32_t next : neighbours_[pending[at]]) {
        if (!seen[next]) pending.push_back(next);
        seen[next] = true;
      }
    }
  };
  for (uint32_t i = 0; i <= count && changed.size() < most; ++i) {
    // First its own part of the graph, then the others.
    const uint32_t from = i == 0 ? function : i - 1;
    if (from == kSpontaneous || seen[from]) continue;
    seen[from] = true;
    visit({from});
  }
  return changed;
}

}  // namespace gprofhub::reporter
