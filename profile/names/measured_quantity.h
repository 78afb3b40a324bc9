// Quantities that the runtime measures (runtime/waiting/quantities.h,
// runtime/sampling/event_kinds.h). They are recorded as counts, but are none: no execution has the
// same ones again.
#pragma once

#include "absl/strings/string_view.h"

namespace gprofhub::profile {

inline constexpr absl::string_view kMeasuredQuantities[] = {
    "gprofhub_waiting_microseconds",
    "gprofhub_system_microseconds",
    "gprofhub_event_page_faults",
    "gprofhub_event_minor_faults",
    "gprofhub_event_major_faults",
    "gprofhub_event_task_clock_nanoseconds",
    "gprofhub_event_cpu_clock_nanoseconds",
    "gprofhub_event_instructions",
    "gprofhub_event_cycles",
    "gprofhub_event_branches",
    "gprofhub_event_branch_misses",
    "gprofhub_event_cache_references",
    "gprofhub_event_cache_misses",
};

// Whether the function with this linkage name stands for one.
constexpr bool IsMeasuredQuantity(absl::string_view name) {
  for (const absl::string_view quantity : kMeasuredQuantities) {
    if (name == quantity) return true;
  }
  return false;
}

}  // namespace gprofhub::profile
