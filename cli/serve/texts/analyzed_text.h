// The query service's texts that the analyzer makes.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "profile/symbols.h"
#include "proto/query.pb.h"
#include "store/blobs.h"
#include "store/reading.h"

namespace gprofhub::cli {

// A listing is for people: a name must not look like another line of it, and must not command the
// terminal.
void MakeNamesPrintable(profile::SymbolTable& symbols);

// The flat profile or the call graph of one target in one run: what `gprofhub
// gprof` prints for the sum of its profiles. A target of several images has one
// listing per image, each below a line that names it. Errors as in
// reporter/queries/runs.h, and the analyzer's.
absl::StatusOr<std::string> ListingText(const store::Reading& reading, const store::Blobs& blobs,
                                        const v1::GetListingRequest& request);

}  // namespace gprofhub::cli
