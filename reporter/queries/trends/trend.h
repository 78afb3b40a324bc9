// Answers how one function's counts and times went from run to run.
#pragma once

#include "absl/status/statusor.h"
#include "proto/query.pb.h"
#include "reporter/queries/blob_reader.h"
#include "reporter/queries/query_memory.h"
#include "store/reading.h"

namespace gprofhub::reporter {

// INVALID_ARGUMENT for a name that is ambiguous or a limit too large, NOT_FOUND for a function that
// no run knows. `memory`, if there is one, has profiles, and keeps those that are read.
absl::StatusOr<v1::GetTrendResponse> GetTrend(const store::Reading& reading,
                                              const BlobReader& blobs,
                                              const v1::GetTrendRequest& request,
                                              QueryMemory* memory = nullptr);

}  // namespace gprofhub::reporter
