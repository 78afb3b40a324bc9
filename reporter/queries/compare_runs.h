// Compares a run in the store with its baseline, or two runs with each other.
#pragma once

#include "absl/status/statusor.h"
#include "proto/findings.pb.h"
#include "proto/query.pb.h"
#include "reporter/queries/blob_reader.h"
#include "reporter/queries/query_memory.h"
#include "store/reading.h"

namespace gprofhub::reporter {

// The head is all runs of its commit, in its configuration and of its pull request: repetitions,
// target by target. A run that is compared with another one of its own commit stands alone.
//
// Targets whose binary is the base's, or whose result is the base's own out of a cache, are named
// and not compared: nothing changed in them. Targets without a profile on one side are named with
// the reason. Runs of sampled profiles are refused. `memory`, if there is one, has reports of the
// same measurements, and keeps this one. Errors as in reporter/queries/runs.h.
absl::StatusOr<v1::Report> CompareRuns(const store::Reading& reading, const BlobReader& blobs,
                                       const v1::CompareRequest& request,
                                       QueryMemory* memory = nullptr);

}  // namespace gprofhub::reporter
