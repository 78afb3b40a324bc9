// Errors of the disk and of SQLite, with separate texts for the operator and for clients.
#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace gprofhub::store::sqlite {

// RESOURCE_EXHAUSTED: the disk of `directory` is full, with the remedy.
absl::Status DiskFull(absl::string_view directory, absl::string_view detail);

// The error, which names files, with another text for clients (base/public_message.h).
absl::Status Hidden(absl::Status status);

}  // namespace gprofhub::store::sqlite
