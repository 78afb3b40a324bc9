// -A: the program's source files, found and printed.
#pragma once

#include "analyzer/annotations/annotated_source.h"
#include "analyzer/annotations/block_counts.h"
#include "analyzer/listing/input.h"
#include "analyzer/tables/tables.h"
#include "cli/gprof/options/options.h"

namespace gprofhub::cli {

// What -x, -m and -t ask for.
analyzer::AnnotationOptions AnnotationOptionsOf(const GprofOptions& options);

// Prints each annotated file as a page or, with separate_files, into a file
// NAME-ann in the working directory. A file is looked for where it was compiled,
// and then in the other places of SourcePlaces. Those that are not found are named on stderr.
void PrintSources(const analyzer::ListingInput& input, const analyzer::BlockCounts& blocks,
                  const GprofOptions& options, analyzer::Pages& pages);

}  // namespace gprofhub::cli
