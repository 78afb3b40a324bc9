// gprof's listings of uploaded profiles, for the query service, the pages and /api/v1.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "analyzer/listing/options.h"
#include "analyzer/worker/target_images.h"
#include "base/decoding/decoding.h"
#include "cli/serve/texts/bounded_text.h"
#include "cli/serve/texts/read_source.h"
#include "profile/symbols.h"
#include "proto/query.pb.h"
#include "reporter/queries/blob_reader.h"
#include "store/reading.h"

namespace gprofhub::cli {

// Clones have rows of their own everywhere in the service: a clone's time is not that of the
// function before it.
analyzer::ListingOptions ServedOptions();

// A listing is for people: a name must not look like another line of it, or contain terminal
// escapes. The memory of the new names stays charged to `decoding`, whose errors are returned.
absl::Status MakeNamesPrintable(profile::SymbolTable& symbols, const base::Decoding& decoding);

// Appends one image's profile in request.format(): a format of `gprofhub gprof --format`, or
// "gmon". INVALID_ARGUMENT for another, and for a kind that the format cannot contain.
absl::Status AppendExport(const analyzer::TargetImage& image, const v1::GetListingRequest& request,
                          const base::Decoding& decoding, BoundedText& text);

// The output of `gprofhub gprof --exact-clones` for the sum of a target's profiles in one run. A
// target of several images has one listing for each, below a line that names it; a format contains
// only the image that the request names. Source is that of the run's commit; `read_source` may be
// null. Errors as in reporter/queries/runs.h, and the analyzer's. For ANNOTATED_SOURCE also
// NOT_FOUND or UNAVAILABLE with the reason: no file can be read.
absl::StatusOr<std::string> ListingText(const store::Reading& reading,
                                        const reporter::BlobReader& blobs,
                                        const ReadSource& read_source,
                                        const v1::GetListingRequest& request);

}  // namespace gprofhub::cli
