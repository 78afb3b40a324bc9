// Functions that the compiler inlined otherwise than before, as the debug information says, and
// those that they share their work with for that reason.
#pragma once

#include <cstdint>
#include <vector>

#include "reporter/matching/matched_target.h"

namespace gprofhub::reporter {

// Functions are known by their index in the target, which outlives it.
class InlinedGroups {
 public:
  explicit InlinedGroups(const MatchedTarget& target);

  // Whether anything is known of both sides. If not, nothing is ever inlined otherwise.
  bool known() const { return target_.knows_inlined; }

  // Whether calls of `callee` were inlined into one of `group` at the side with fewer of them, and
  // into none at the other. `at_head`: the side with fewer is the head.
  bool InlinedOtherwise(uint32_t group, uint32_t callee, bool at_head) const;

  // Puts both functions, and all that are with them, into one group.
  void Join(uint32_t a, uint32_t b);
  // The group's first function; any function is in one.
  uint32_t GroupOf(uint32_t function) const { return group_of_[function]; }
  const std::vector<uint32_t>& Members(uint32_t group) const { return members_[group]; }

  // Whether calls of `callee` were inlined into `into` itself.
  bool Inlines(uint32_t into, uint32_t callee, bool at_head) const;

 private:
  const MatchedTarget& target_;
  std::vector<uint32_t> name_before_, name_after_;  // hashes, by function
  std::vector<uint32_t> group_of_;
  std::vector<std::vector<uint32_t>> members_;  // by group
};

}  // namespace gprofhub::reporter
