// Compares a run in the store with its baseline, or two runs with each other.
#pragma once

#include "absl/status/statusor.h"
#include "proto/findings.pb.h"
#include "proto/query.pb.h"
#include "reporter/queries/blob_reader.h"
#include "reporter/queries/query_memory.h"
#include "store/reading.h"

namespace gprofhub::reporter {

// The head consists of all runs of its commit, in its configuration and of its pull request:
// repetitions, target by target. A run that is compared with another run of its own commit is not
// merged.
//
// Targets whose binary is the base's, or whose result is the base's own from a cache, are listed
// but not compared: they did not change. Targets without a profile on one side are listed with the
// reason. Runs of sampled profiles are rejected. `memory`, if not null, caches reports of the same
// measurements. Errors as in reporter/queries/runs.h.
absl::StatusOr<v1::Report> CompareRuns(const store::Reading& reading, const BlobReader& blobs,
                                       const v1::CompareRequest& request,
                                       QueryMemory* memory = nullptr);

}  // namespace gprofhub::reporter
