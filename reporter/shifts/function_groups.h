// Disjoint sets of functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"

namespace gprofhub::reporter {

// Each function is in exactly one group, initially alone. Functions are indices into the target.
class FunctionGroups {
 public:
  explicit FunctionGroups(size_t functions);

  // Merges the groups of both functions.
  void Join(uint32_t a, uint32_t b);

  // The id of the function's group.
  uint32_t GroupOf(uint32_t function) const { return group_of_[function]; }
  absl::Span<const uint32_t> Members(uint32_t group) const { return members_[group]; }

 private:
  std::vector<uint32_t> group_of_;
  // By group. Nearly all have one member.
  std::vector<absl::InlinedVector<uint32_t, 4>> members_;
};

}  // namespace gprofhub::reporter
