// What the query service answers, free of transport: from requests over a store
// to responses. Errors: NOT_FOUND for a run, target or function that is not
// there (or belongs to another project), INVALID_ARGUMENT for a request that
// says too little or too much, FAILED_PRECONDITION where the analysis has not
// ended yet, or exact counts are asked of sampled profiles, and the store's own.
#pragma once

#include "absl/status/statusor.h"
#include "proto/query.pb.h"
#include "reporter/queries/blob_reader.h"
#include "store/reading.h"

namespace gprofhub::reporter {

absl::StatusOr<v1::ListRunsResponse> ListRuns(const store::Reading& reading,
                                              const v1::ListRunsRequest& request);
absl::StatusOr<v1::Run> GetRun(const store::Reading& reading, const v1::GetRunRequest& request);
absl::StatusOr<v1::GetProfileResponse> GetProfile(const store::Reading& reading,
                                                  const BlobReader& blobs,
                                                  const v1::GetProfileRequest& request);
}  // namespace gprofhub::reporter
