// The query service's answer on where a branch's counts and times changed.
//
// To find it takes a look at each function of each of the runs: seconds, where they are many. So
// the answer of a branch is found when one of its runs was analysed, and kept (reporter/worker/
// changes_keeper.h). Whoever asks compares the runs that it was made of with those that there are.
// If they are the same, and none of them has changed since, that is the answer. Otherwise it is
// found anew.
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

// Of the branch's runs, without those of pull requests and forks. NOT_FOUND where
// there are none, with the branches that there are; INVALID_ARGUMENT; the store's
// errors.
absl::StatusOr<v1::GetChangesResponse> GetChanges(const store::Reading& reading,
                                                  const BlobReader& blobs,
                                                  const v1::GetChangesRequest& request);

// Over as many runs, if a request does not say otherwise.
inline constexpr uint32_t kDefaultChangeRuns = 100;

// The runs of a branch and configuration whose changes are looked for. Empty: any configuration.
store::RunFilter RunsOfHistory(const store::BranchKey& branch);

// An answer with all events, whatever the request's limit, and what is to be kept of it: nothing if
// it was kept, or is not of the kind that is: of all targets, without those that only moved, over
// as many runs as are the default.
struct FoundChanges {
  v1::GetChangesResponse response;
  store::BranchKey branch;
  std::optional<store::KeptChanges> to_keep;  // store::ReportQueue::KeepChanges
};

// Otherwise as GetChanges.
absl::StatusOr<FoundChanges> FindChanges(const store::Reading& reading, const BlobReader& blobs,
                                         const v1::GetChangesRequest& request);

}  // namespace gprofhub::reporter
