// Quantities that the runtime measures (runtime/waiting/quantities.h). They are recorded as counts,
// but are none: no execution has the same ones again.
#pragma once

#include "absl/strings/string_view.h"

namespace gprofhub::profile {

inline constexpr absl::string_view kMeasuredQuantities[] = {"gprofhub_waiting_microseconds",
                                                            "gprofhub_system_microseconds"};

// Whether the function with this linkage name stands for one.
constexpr bool IsMeasuredQuantity(absl::string_view name) {
  for (const absl::string_view quantity : kMeasuredQuantities) {
    if (name == quantity) return true;
  }
  return false;
}

}  // namespace gprofhub::profile
