// Resolves the function of a trend request.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "proto/query.pb.h"
#include "reporter/history/resolve_function.h"
#include "reporter/history/trend.h"
#include "reporter/queries/blob_reader.h"
#include "reporter/queries/query_memory.h"
#include "store/reading.h"
#include "store/records/history.h"

namespace gprofhub::reporter {

// The function whose linkage name is the request's text, if it is not static. No profile is read
// for it.
SeriesIdentity NamedFunction(const v1::GetTrendRequest& request);

// Whether one of the newest analysed runs has the function. `sums` come newest first.
bool IsInNewestRuns(const std::vector<FunctionAtRun>& sums);

// The function that the request names, in the newest analysed runs. `runs` come newest first.
// Errors are those of ResolveFunction; NOT_FOUND also if no run is analysed yet.
absl::StatusOr<SeriesIdentity> FindFunction(const store::Reading& reading, const BlobReader& blobs,
                                            const std::vector<store::RunHead>& runs,
                                            const v1::GetTrendRequest& request,
                                            QueryMemory* memory);

// A static function's series changes its hash when its file moves: adds the hash in the oldest
// analysed run of `runs`.
absl::Status AddOldestHashes(const store::Reading& reading, const BlobReader& blobs,
                             const std::vector<store::RunHead>& runs,
                             const v1::GetTrendRequest& request, SeriesIdentity& function,
                             QueryMemory* memory);

}  // namespace gprofhub::reporter
