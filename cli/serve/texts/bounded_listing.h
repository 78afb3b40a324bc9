// Listings of untrusted data in the server, in bounded memory.
#pragma once

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "analyzer/listing/input.h"
#include "analyzer/listing/options.h"
#include "analyzer/worker/target_images.h"
#include "base/decoding/decoding.h"

namespace gprofhub::cli {

// analyzer::PrepareListing of the image, which outlives it. Its memory stays charged to `decoding`,
// whose errors are returned.
absl::StatusOr<analyzer::ListingInput> PrepareBounded(const analyzer::TargetImage& image,
                                                      const analyzer::ListingOptions& options,
                                                      const base::Decoding& decoding);

// An error of `decoding` if the tables' text would be too long for it: each name is printed once
// for each of its calls, so it is found out before anything is printed.
absl::Status CheckTextFits(const analyzer::ListingInput& input, const base::Decoding& decoding);

}  // namespace gprofhub::cli
