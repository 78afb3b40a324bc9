// Explains a finding of two runs in the store.
#pragma once

#include "absl/status/statusor.h"
#include "proto/query.pb.h"
#include "store/blobs.h"
#include "store/reading.h"

namespace gprofhub::reporter {

// Compares as CompareRuns does, and gives the paths to the finding in the two runs that the
// comparison names. A side whose own run did not measure the target has no path. Errors are
// CompareRuns's and FindFinding's.
absl::StatusOr<v1::Explanation> ExplainFinding(const store::Reading& reading,
                                               const store::Blobs& blobs,
                                               const v1::ExplainRequest& request);

}  // namespace gprofhub::reporter
