// The query service's answer on where a branch's counts and times changed.
#pragma once

#include "absl/status/statusor.h"
#include "proto/query.pb.h"
#include "reporter/queries/blob_reader.h"
#include "store/reading.h"

namespace gprofhub::reporter {

// Of the branch's runs, without those of pull requests and forks. NOT_FOUND where
// there are none, with the branches that there are; INVALID_ARGUMENT; the store's
// errors.
absl::StatusOr<v1::GetChangesResponse> GetChanges(const store::Reading& reading,
                                                  const BlobReader& blobs,
                                                  const v1::GetChangesRequest& request);

}  // namespace gprofhub::reporter
