// Explains a finding of two runs in the store.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "proto/findings.pb.h"
#include "proto/query.pb.h"
#include "reporter/queries/blob_reader.h"
#include "reporter/queries/query_memory.h"
#include "store/reading.h"

namespace gprofhub::reporter {

// Compares like CompareRuns, and returns the paths to the finding in the two compared runs. A side
// whose own run did not measure the target has no path. Errors are CompareRuns's and FindFinding's.
absl::StatusOr<v1::Explanation> ExplainFinding(const store::Reading& reading,
                                               const BlobReader& blobs,
                                               const v1::ExplainRequest& request);

// The same for a finding of a report from CompareRuns, which lists the compared runs. `memory` as
// in CompareRuns.
absl::StatusOr<v1::Explanation> ExplainIn(const store::Reading& reading, const BlobReader& blobs,
                                          const std::string& project, const v1::Compared& compared,
                                          const v1::Finding& finding,
                                          QueryMemory* memory = nullptr);

}  // namespace gprofhub::reporter
