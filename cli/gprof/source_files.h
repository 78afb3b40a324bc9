// -A: the program's source files, found and printed.
#pragma once

#include "analyzer/listing_input.h"
#include "analyzer/listings.h"
#include "analyzer/listings/annotated_source.h"
#include "analyzer/listings/block_counts.h"
#include "cli/gprof/options.h"

namespace gprofhub {

// Those of -x, -m and -t.
AnnotationOptions AnnotationOptionsOf(const GprofOptions& options);

// Prints each annotated file as a page or, with separate_files, into a file
// NAME-ann in the working directory. A file is looked for where it was compiled,
// and then in the other places of SourcePlaces. Those that are not found are named on stderr.
void PrintSources(const ListingInput& input, const BlockCounts& blocks, const GprofOptions& options,
                  Pages& pages);

}  // namespace gprofhub
