// gprof's listings of what was uploaded. The query service, the pages and /api/v1 have them all
// from here.
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

// A listing is for people: a name must not look like another line of it, and must not command the
// terminal. What the new names take is left with `decoding`, whose errors come.
absl::Status MakeNamesPrintable(profile::SymbolTable& symbols, const base::Decoding& decoding);

// Appends one image's profile as request.format() says: a format of `gprofhub gprof --format`, or
// "gmon". INVALID_ARGUMENT for another, and for a kind that the format has no place for.
absl::Status AppendExport(const analyzer::TargetImage& image, const v1::GetListingRequest& request,
                          const base::Decoding& decoding, BoundedText& text);

// What `gprofhub gprof --exact-clones` prints for the sum of a target's profiles in one run. A
// target of several images has one listing for each, below a line that names it; of a format it has
// the image that the request names. Source is that of the run's commit; `read_source` may be null.
// Errors as in reporter/queries/runs.h, and the analyzer's. Of ANNOTATED_SOURCE also NOT_FOUND or
// UNAVAILABLE: no file can be read; it says why.
absl::StatusOr<std::string> ListingText(const store::Reading& reading,
                                        const reporter::BlobReader& blobs,
                                        const ReadSource& read_source,
                                        const v1::GetListingRequest& request);

}  // namespace gprofhub::cli
