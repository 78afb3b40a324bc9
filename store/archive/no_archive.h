// The error of an operation that needs an archive, without one.
#pragma once

#include "absl/status/status.h"

namespace gprofhub::store {

inline absl::Status NoArchiveIsNamed() {
  return absl::FailedPreconditionError(
      "no place for old bytes is named: give --archive, or set GPROFHUB_ARCHIVE");
}

}  // namespace gprofhub::store
