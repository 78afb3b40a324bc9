// Quantities are recorded as calls of functions that nobody calls (runtime/gprofhub.h). These are
// the runtime's own. What a program counts of itself has calls as its unit, for nobody knows
// another.
#pragma once

#include <array>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace gprofhub::profile {

// What the runtime measures (runtime/waiting/quantities.h). These are recorded as counts, but are
// none: no execution has the same ones again.
inline constexpr absl::string_view kMeasuredQuantities[] = {"gprofhub_waiting_microseconds",
                                                            "gprofhub_system_microseconds"};

enum class CountUnit { kCalls, kBytes, kMicroseconds };

// The unit of the calls of the function with this linkage name.
constexpr CountUnit UnitOfCalls(absl::string_view name) {
  if (name == "gprofhub_allocated_bytes") return CountUnit::kBytes;
  for (const absl::string_view quantity : kMeasuredQuantities) {
    if (name == quantity) return CountUnit::kMicroseconds;
  }
  return CountUnit::kCalls;
}

constexpr bool IsMeasuredQuantity(absl::string_view name) {
  return UnitOfCalls(name) == CountUnit::kMicroseconds;
}

// Whether calls of the function with this linkage name are allocations (docs/allocations.md).
inline bool IsAllocator(absl::string_view name) {
  constexpr std::array<absl::string_view, 9> kAllocators = {
      "malloc",   "calloc",         "realloc", "reallocarray", "aligned_alloc",
      "memalign", "posix_memalign", "valloc",  "pvalloc"};
  for (const absl::string_view allocator : kAllocators) {
    if (name == allocator) return true;
  }
  return absl::StartsWith(name, "_Znwm") || absl::StartsWith(name, "_Znam");  // operator new
}

}  // namespace gprofhub::profile
