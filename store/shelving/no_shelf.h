// What somebody is told who needs a shelf and has named none.
#pragma once

#include "absl/status/status.h"

namespace gprofhub::store {

inline absl::Status NoShelfIsNamed() {
  return absl::FailedPreconditionError(
      "no place for old bytes is named: give --shelf, or set GPROFHUB_SHELF");
}

}  // namespace gprofhub::store
