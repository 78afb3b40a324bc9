// Which changes of counts are accepted, by the program's changed code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "base/grouped.h"
#include "reporter/comparison/count_history.h"
#include "reporter/comparison/pair_call_sites.h"

namespace gprofhub::reporter {

// Linkage names of functions whose calls need several runs in every target.
struct NoisyFunctions {
  // Their calls vary between runs, or differ in a target whose code is the same.
  absl::flat_hash_set<absl::string_view> varying;
  // Their calls differ in a target where changed code reaches them through memory only.
  absl::flat_hash_set<absl::string_view> suspected;

  void Merge(NoisyFunctions&& other) {
    varying.merge(other.varying);
    suspected.merge(other.suspected);
  }
};

enum class Belief {
  kAccepted,
  kUnconfirmed,  // changed code may be the reason, through memory; more runs decide
  kChance,       // no changed code can be the reason, or the count is known to vary
};

// Keeps a reference to `target`.
class CodeEvidence {
 public:
  explicit CodeEvidence(const MatchedTarget& target);

  // Whether code digests are available. Otherwise there is no evidence to query.
  bool known() const { return known_; }
  // Whether code that runs on both sides is known to have changed.
  bool any_changed() const { return any_changed_; }
  // Whether changed code runs in the function, below it, or above it.
  bool Reaches(uint32_t function) const;
  // Whether changed code affects the function at most through memory.
  bool IsApart(uint32_t function) const { return known_ && !Reaches(function); }

  // Whether an edit decides about the calls that the function makes itself.
  bool IsEdited(uint32_t function) const;

  // By function, then kSpontaneous: IsApart. Empty: unknown.
  std::vector<bool> Apart() const;

  // How far a change that began on the arc is believed. `restless`: changes of the target began
  // apart from changed code.
  Belief Judge(const ArcPair& arc, const CountChange& change, const NoisyFunctions& noisy,
               bool restless) const;

  // The same of a difference in a function that is apart, of a quantity that needs several runs.
  Belief JudgeApart() const;

 private:
  void ReachWhatOneSideHas();

  const MatchedTarget& target_;
  bool known_ = false;
  bool any_changed_ = false;
  std::vector<bool> reached_;  // by function
};

// By function: whether it is called by one of `from`, or by a function that is; or, with
// `to_callers`, calls one. A function's calls of itself do not count.
std::vector<bool> FunctionsReached(const MatchedTarget& target, std::vector<uint32_t> from,
                                   bool to_callers);

// By function: what it, those that it calls, and those that these call ask for, as
// FunctionPair::asks.
std::vector<uint8_t> AskedNear(const MatchedTarget& target);

// As Finding.varies_with.
std::vector<std::string> NamesOfAsked(uint8_t asks);

// One of these names as a person reads it: "the clock".
absl::string_view WordsOfAsked(absl::string_view name);

// The functions whose code changed, by their distance from others. Keeps a reference to `target`.
class NearbyEdits {
 public:
  explicit NearbyEdits(const MatchedTarget& target);

  // Linkage names, those first that are fewest calls away from the function; at most `most`.
  std::vector<std::string> Of(uint32_t function, size_t most) const;

 private:
  const MatchedTarget& target_;
  base::Grouped<uint32_t> neighbours_;  // by function: callers and callees
  size_t edited_ = 0;                   // functions
};

}  // namespace gprofhub::reporter
