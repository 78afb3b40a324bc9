// Matches renamed functions of base and head.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"

namespace gprofhub::reporter {

// A function of one side only.
struct LoneFunction {
  uint32_t function = 0;  // any identifier
  double calls = 0;       // per execution
  uint64_t size = 0;      // bytes of code; 0: unknown
  uint32_t file = 0;      // identifier; 0: unknown
  uint32_t name = 0;      // identifier of the name without scope and signature; 0: unknown
};

// An arc from or to a lone function, by LoneFunction's identifier. A function of both sides has the
// same identifier on both.
struct LoneArc {
  uint32_t caller = 0;
  uint32_t callee = 0;
  double calls = 0;         // per execution
  double caller_calls = 0;  // calls of the caller, per execution; 0: unknown
};

// Pairs of a lone function of the base and one of the head. The essay is in renames.cc.
std::vector<std::pair<uint32_t, uint32_t>> FindRenames(absl::Span<const LoneFunction> before,
                                                       absl::Span<const LoneArc> arcs_before,
                                                       absl::Span<const LoneFunction> after,
                                                       absl::Span<const LoneArc> arcs_after);

}  // namespace gprofhub::reporter
