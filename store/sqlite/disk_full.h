// Errors of the disk and of SQLite, with messages for the operator and for clients.
#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace gprofhub::store::sqlite {

// RESOURCE_EXHAUSTED: the disk of `directory` is full, and how to solve it.
absl::Status DiskFull(absl::string_view directory, absl::string_view detail);

// Adds a message for clients (base/public_message.h) to an error that names files.
absl::Status Hidden(absl::Status status);

}  // namespace gprofhub::store::sqlite
