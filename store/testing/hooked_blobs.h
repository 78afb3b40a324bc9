// Blobs with a test's own code in front of each read.
#pragma once

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "store/blobs.h"

namespace gprofhub::store {

// The blobs of the SQLite store in `directory`, which may be open elsewhere. Each Blobs::Read
// calls `before_read` first, in its own thread. If that returns an error, so does the read.
absl::StatusOr<Blobs> OpenHookedBlobs(const std::string& directory,
                                      std::function<absl::Status()> before_read);

}  // namespace gprofhub::store
