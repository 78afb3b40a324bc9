// Functions in groups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"

namespace gprofhub::reporter {

// Each function is in one group, at first alone. Functions are known by their index in the target.
class FunctionGroups {
 public:
  explicit FunctionGroups(size_t functions);

  // Puts both functions, and all that are with them, into one group.
  void Join(uint32_t a, uint32_t b);

  // What all of a group have in common, and others have not.
  uint32_t GroupOf(uint32_t function) const { return group_of_[function]; }
  absl::Span<const uint32_t> Members(uint32_t group) const { return members_[group]; }

 private:
  std::vector<uint32_t> group_of_;
  // By group. Nearly all have one member.
  std::vector<absl::InlinedVector<uint32_t, 4>> members_;
};

}  // namespace gprofhub::reporter
