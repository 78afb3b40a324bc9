// Whose word a run is: the main line's, a pull request's, a fork's.
#pragma once

#include "absl/status/status.h"
#include "collector/access/caller.h"
#include "proto/collector.pb.h"

namespace gprofhub::collector {

// Makes `run` what the caller's ID token says, where it says something, and checks that the caller
// may send such a run: a run that is no pull request's and no fork's is of the main line, which
// needs Scope::kUploadMain. PERMISSION_DENIED if not, and if the upload contradicts the ID token in
// a way that cannot be put right.
absl::Status SettleRun(const Caller& caller, v1::RunInfo& run);

}  // namespace gprofhub::collector
