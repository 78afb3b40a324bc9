// Query service: change events of a branch's counts and times.
//
// Finding them requires all functions of all runs: seconds, for many runs. So a branch's response
// is computed when one of its runs was analysed, and cached (reporter/worker/changes_keeper.h). A
// query compares the cached response's runs with the current ones. If they are the same and
// unchanged, it returns the cached response. Otherwise the response is computed.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "proto/query.pb.h"
#include "reporter/queries/blob_reader.h"
#include "store/reading.h"
#include "store/records/history.h"
#include "store/records/records.h"

namespace gprofhub::reporter {

// Over the branch's runs, without those of pull requests and forks. NOT_FOUND if there are none,
// with the existing branches; INVALID_ARGUMENT; the store's errors.
absl::StatusOr<v1::GetChangesResponse> GetChanges(const store::Reading& reading,
                                                  const BlobReader& blobs,
                                                  const v1::GetChangesRequest& request);

// Default number of runs.
inline constexpr uint32_t kDefaultChangeRuns = 100;

// The runs of a branch and configuration in which changes are searched. Empty: any configuration.
store::RunFilter RunsOfHistory(const store::BranchKey& branch);

// A response with all events, whatever the request's limit, and the value to cache: nothing if it
// is cached already, or is not the default query: all targets, without moved cost, over the default
// number of runs.
struct FoundChanges {
  v1::GetChangesResponse response;
  store::BranchKey branch;
  std::optional<store::KeptChanges> to_keep;  // store::ReportQueue::KeepChanges
};

// Otherwise like GetChanges.
absl::StatusOr<FoundChanges> FindChanges(const store::Reading& reading, const BlobReader& blobs,
                                         const v1::GetChangesRequest& request);

}  // namespace gprofhub::reporter
