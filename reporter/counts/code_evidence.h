// Which changes of counts the program's changed code can explain.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "reporter/counts/judge_count.h"
#include "reporter/matching/matched_target.h"

namespace gprofhub::reporter {

// Linkage names of functions whose calls are known, also from other targets, to vary by chance.
using NoisyFunctions = absl::flat_hash_set<absl::string_view>;

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

  // Whether changed code cannot explain a difference in the function.
  bool IsChance(uint32_t function) const { return known_ && !Reaches(function); }

  // By function, then kSpontaneous: whether only chance can explain a difference. Empty: unknown.
  std::vector<bool> Apart() const;

  // Whether a change that began on the arc is accepted. `restless`: the target has changes that
  // began by chance.
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
