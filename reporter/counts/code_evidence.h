// Which changes of counts the program's changed code can be the reason of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "reporter/counts/judge_count.h"
#include "reporter/matching/matched_target.h"

namespace gprofhub::reporter {

// Linkage names of functions that are known, from other targets too, to be called more or less
// often by chance.
using NoisyFunctions = absl::flat_hash_set<absl::string_view>;

// `target` outlives it.
class CodeEvidence {
 public:
  explicit CodeEvidence(const MatchedTarget& target);

  // Whether there is code of which it is known whether it changed. Else nothing is asked of it.
  bool known() const { return known_; }
  // Whether code that runs on both sides changed, as far as that is known.
  bool any_changed() const { return any_changed_; }
  // Whether changed code runs in the function, below it, or above it.
  bool Reaches(uint32_t function) const;

  // Whether nothing that changed can be the reason of what the function does differently.
  bool IsChance(uint32_t function) const { return known_ && !Reaches(function); }

  // By function, then kSpontaneous: whether only chance can be the reason of what it does
  // differently. Empty: nothing is known.
  std::vector<bool> Apart() const;

  // Whether a change that began on the arc is to be believed. `restless`: changes began in the
  // target that are chance.
  bool Supports(const ArcPair& arc, const CountChange& change, const NoisyFunctions& noisy,
                bool restless) const;

 private:
  void Spread(bool to_callers);
  void ReachWhatOneSideHas();

  const MatchedTarget& target_;
  bool known_ = false;
  bool any_changed_ = false;
  std::vector<bool> reached_;  // by function
};

}  // namespace gprofhub::reporter
