// The query service's texts that the analyzer makes.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/decoding/decoding.h"
#include "profile/symbols.h"
#include "proto/query.pb.h"
#include "reporter/queries/blob_reader.h"
#include "store/reading.h"

namespace gprofhub::cli {

// A listing is for people: a name must not look like another line of it, and must not command the
// terminal. What the new names take is left with `decoding`, whose errors come.
absl::Status MakeNamesPrintable(profile::SymbolTable& symbols, const base::Decoding& decoding);

// The flat profile or the call graph of one target in one run: what `gprofhub
// gprof` prints for the sum of its profiles. A target of several images has one
// listing per image, each below a line that names it. Errors as in
// reporter/queries/runs.h, and the analyzer's.
absl::StatusOr<std::string> ListingText(const store::Reading& reading,
                                        const reporter::BlobReader& blobs,
                                        const v1::GetListingRequest& request);

}  // namespace gprofhub::cli
