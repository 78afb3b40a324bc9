// -A: the program's source files, found and printed.
#pragma once

#include "analyzer/annotations/annotated_source.h"
#include "analyzer/annotations/block_counts.h"
#include "analyzer/listing/input.h"
#include "analyzer/tables/tables.h"
#include "cli/gprof/options/options.h"

namespace gprofhub::cli {

// The options -x, -m and -t.
analyzer::AnnotationOptions AnnotationOptionsOf(const GprofOptions& options);

// Prints each annotated file as a page or, with separate_files, into a file
// NAME-ann in the working directory. A file is searched at its compile-time path, and then in the
// other places of SourcePlaces. Missing files are reported on stderr.
void PrintSources(const analyzer::ListingInput& input, const analyzer::BlockCounts& blocks,
                  const GprofOptions& options, analyzer::Pages& pages);

}  // namespace gprofhub::cli
