// Trust level of a run: main line, pull request or fork.
#pragma once

#include "absl/status/status.h"
#include "collector/access/caller.h"
#include "proto/collector.pb.h"

namespace gprofhub::collector {

// Overrides fields of `run` with the claims of the caller's ID token, and checks that the caller
// may send such a run: a run of neither a pull request nor a fork belongs to the main line, which
// needs Scope::kUploadMain. PERMISSION_DENIED if it may not, or if the upload contradicts the ID
// token in a field that cannot be overridden.
absl::Status SettleRun(const Caller& caller, v1::RunInfo& run);

}  // namespace gprofhub::collector
