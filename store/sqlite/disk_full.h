// The error of a full disk.
#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace gprofhub::store::sqlite {

// RESOURCE_EXHAUSTED: the disk of `directory` is full; says what to do.
absl::Status DiskFull(absl::string_view directory, absl::string_view detail);

}  // namespace gprofhub::store::sqlite
