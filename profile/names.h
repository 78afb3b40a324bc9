// Quantities are recorded as calls of functions that are never called (runtime/gprofhub.h). These
// are the runtime's own. A program's own quantities have the unit "calls", because theirs is
// unknown.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace gprofhub::profile {

// Suffixes that gcc and clang append to a function's name when they generate more than one piece of
// code for it.

enum class CloneKinds {
  // Code that is called instead of the function, such as .isra.N, .constprop.N, .part.N, .llvm.N.
  kCopies,
  // These, and code of the function that is never called on its own: cold and hot parts (.cold,
  // .unlikely, .warm, .hot) and the resolver of multiversioned functions (.resolver).
  kAll,
};

// The function that the compiler made `name` from: without the suffixes of the kinds, also several
// of them; each may have a number. Other names, and names that would become empty, are unchanged:
// "f" from "f.constprop.2.part.0", but "table.3".
absl::string_view WithoutCloneSuffixes(absl::string_view name, CloneKinds kinds);

// Whether the source file is a library's, and not the program's own: it came with the compiler or
// the system, or is another repository's (Bazel). All of them have recognisable folders.
bool IsLibraryFile(absl::string_view file);

// The caller of functions that code outside the profile calls, as GNU gprof's call graph names it.
inline constexpr absl::string_view kSpontaneousName = "<spontaneous>";

inline constexpr absl::string_view kAllocatedBytes = "gprofhub_allocated_bytes";
inline constexpr absl::string_view kPeakBytes = "gprofhub_peak_bytes";  // in use at the peak

// Instructions counted in addition to time (GPROFHUB_EVENTS). Comparisons judge these.
inline constexpr absl::string_view kEventInstructions = "gprofhub_event_instructions";

enum class CountUnit { kCalls, kBytes, kMicroseconds, kNanoseconds, kEvents };

struct MeasuredQuantity {
  absl::string_view name;
  CountUnit unit;
};

// Measurements of the runtime (runtime/waiting/quantities.h, runtime/sampling/event_kinds.h). They
// are recorded as counts, but differ in every execution.
inline constexpr MeasuredQuantity kMeasuredQuantities[] = {
    {"gprofhub_waiting_microseconds", CountUnit::kMicroseconds},
    {"gprofhub_system_microseconds", CountUnit::kMicroseconds},
    {"gprofhub_event_task_clock_nanoseconds", CountUnit::kNanoseconds},
    {"gprofhub_event_cpu_clock_nanoseconds", CountUnit::kNanoseconds},
    {"gprofhub_event_page_faults", CountUnit::kEvents},
    {"gprofhub_event_minor_faults", CountUnit::kEvents},
    {"gprofhub_event_major_faults", CountUnit::kEvents},
    {kEventInstructions, CountUnit::kEvents},
    {"gprofhub_event_cycles", CountUnit::kEvents},
    {"gprofhub_event_branches", CountUnit::kEvents},
    {"gprofhub_event_branch_misses", CountUnit::kEvents},
    {"gprofhub_event_cache_references", CountUnit::kEvents},
    {"gprofhub_event_cache_misses", CountUnit::kEvents},
};

// Prefix of the names of the runtime's own quantities.
inline constexpr absl::string_view kQuantityPrefix = "gprofhub_";

constexpr bool HasQuantityPrefix(absl::string_view name) {
  return name.size() > kQuantityPrefix.size() &&
         name.substr(0, kQuantityPrefix.size()) == kQuantityPrefix;
}

// The quantity with this linkage name; nullptr if it is not one.
constexpr const MeasuredQuantity* FindMeasuredQuantity(absl::string_view name) {
  // Called for each function of a program, of which hardly one is a quantity.
  if (!HasQuantityPrefix(name)) return nullptr;
  for (const MeasuredQuantity& quantity : kMeasuredQuantities) {
    if (name == quantity.name) return &quantity;
  }
  return nullptr;
}

constexpr bool IsMeasuredQuantity(absl::string_view name) {
  return FindMeasuredQuantity(name) != nullptr;
}

// The unit of the calls of the function with this linkage name.
constexpr CountUnit UnitOfCalls(absl::string_view name) {
  if (!HasQuantityPrefix(name)) return CountUnit::kCalls;
  if (name == kAllocatedBytes || name == kPeakBytes) return CountUnit::kBytes;
  const MeasuredQuantity* const measured = FindMeasuredQuantity(name);
  return measured == nullptr ? CountUnit::kCalls : measured->unit;
}

// Whether the function with this linkage name represents one of the runtime's quantities.
constexpr bool IsQuantity(absl::string_view name) { return UnitOfCalls(name) != CountUnit::kCalls; }

// "calls", "bytes", "microseconds", "nanoseconds", "events".
constexpr absl::string_view UnitName(CountUnit unit) {
  switch (unit) {
    case CountUnit::kCalls:
      return "calls";
    case CountUnit::kBytes:
      return "bytes";
    case CountUnit::kMicroseconds:
      return "microseconds";
    case CountUnit::kNanoseconds:
      return "nanoseconds";
    case CountUnit::kEvents:
      return "events";
  }
  return "";
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

// Shortens names to fit a table's cell or a line, keeping the most useful parts.

// A demangled name (UTF-8) for people, at most `max_characters` characters (0 counts as 1).
// Standard types get their common names without default arguments: `std::string`, `std::map<int,
// Row>`. If the name is still too long, these are removed in turn until it fits: the return type,
// parameters ("(...)"), template arguments of the enclosing scope ("<...>"), the function's own,
// each of them at first but for a closure ("<Sort::{lambda#2}>"), the enclosing scope ("…::"; the
// middle of the last scope only), the end of its own name ("…"). So the beginning of the function's
// own name is always kept. Text that is not such a name, such as a path or unbalanced brackets, is
// shortened by base::Shortened.
std::string ShortName(absl::string_view display, size_t max_characters);

}  // namespace gprofhub::profile
