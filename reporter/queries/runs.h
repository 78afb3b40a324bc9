// Query service, independent of transport: from requests over a store to responses. Errors:
// NOT_FOUND for an unknown run, target or function (or one of another project), INVALID_ARGUMENT
// for an incomplete or excessive request, FAILED_PRECONDITION if the analysis is in progress, or if
// exact counts are requested from sampled profiles, and the store's own.
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
