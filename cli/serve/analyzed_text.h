// The query service's texts that the analyzer makes.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "proto/query.pb.h"
#include "store/store.h"

namespace gprofhub {

// The flat profile or the call graph of one target in one run: what `gprofhub
// gprof` prints for the sum of its profiles. A target of several images has one
// listing per image, each below a line that names it. Errors as in
// reporter/query_handlers.h, and the analyzer's.
absl::StatusOr<std::string> ListingText(Store& store, const v1::GetListingRequest& request);

// The functions of one target, or of all targets together, each as a run of its
// own, in link order, or the calls for a linker that sorts (ordering_text.h).
absl::StatusOr<std::string> OrderingText(Store& store, const v1::GetOrderingRequest& request);

}  // namespace gprofhub
