// Query service: one function's counts and times from run to run.
#pragma once

#include "absl/status/statusor.h"
#include "proto/query.pb.h"
#include "reporter/queries/blob_reader.h"
#include "reporter/queries/query_memory.h"
#include "store/reading.h"

namespace gprofhub::reporter {

// INVALID_ARGUMENT for an ambiguous name or a limit that is too large, NOT_FOUND for an unknown
// function. `memory`, if not null, caches profiles.
absl::StatusOr<v1::GetTrendResponse> GetTrend(const store::Reading& reading,
                                              const BlobReader& blobs,
                                              const v1::GetTrendRequest& request,
                                              QueryMemory* memory = nullptr);

}  // namespace gprofhub::reporter
