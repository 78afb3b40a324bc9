// The query service's orderings: of one run, or of several taken together.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "proto/query.pb.h"
#include "reporter/queries/blob_reader.h"
#include "store/reading.h"

namespace gprofhub::cli {

// The functions in link order, or the calls for a linker that sorts (ordering_text.h). Each target
// is a training run, regardless of the commits and builds of its profiles: its weight is divided
// among them by their age. Errors as in reporter/queries/runs.h.
absl::StatusOr<std::string> OrderingText(const store::Reading& reading,
                                         const reporter::BlobReader& blobs,
                                         const v1::GetOrderingRequest& request);

}  // namespace gprofhub::cli
