// The error of an operation that needs an archive if none is configured.
#pragma once

#include "absl/status/status.h"

namespace gprofhub::store {

inline absl::Status NoShelfIsNamed() {
  return absl::FailedPreconditionError(
      "no place for old bytes is named: give --shelf, or set GPROFHUB_SHELF");
}

}  // namespace gprofhub::store
