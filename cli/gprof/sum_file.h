// -s: the profiles' sum, written to gmon.sum.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "analyzer/exports/call_paths.h"
#include "analyzer/graph/call_graph.h"
#include "analyzer/listing/rows.h"
#include "analyzer/listing/text_buffer.h"
#include "analyzer/ordering/linker_files.h"
#include "cli/gprof/options.h"
#include "profile/raw_profile.h"

namespace gprofhub::cli {

// --format=: export of the profile for another tool.

// Checks that the format is known and supports all requested listings. The status' message is the
// line to print.
absl::Status CheckExport(const GprofOptions& options);

// Writes the profile, and in JSON the other requested listings, to `sink`. `listing` is that of the
// options with their symspecs, `file_map` that of -R, `records` the result of --file-info.
// CheckExport must have passed.
void ExportProfile(const GprofOptions& options, const analyzer::ListingOptions& listing,
                   const profile::SymbolTable& symbols, const profile::RawProfile& profile,
                   const std::vector<analyzer::StaticCall>& static_calls,
                   const std::vector<analyzer::MappedFunction>& file_map,
                   std::vector<analyzer::ProfileRecords> records, analyzer::TextSink sink);

// Writes gmon.sum into the working directory: the histograms of `profile`, the
// calls of `input`, which is line by line, from the beginning of one row to that
// of another, and the blocks within rows, by address. Counts that exceed a field are split over
// several records. If a BSD format was requested, the file has that format: 4.4BSD's if that was
// requested, or if the older one would lose the rate. The status' message is the line to print.
// `profile` is unchanged on return.
absl::Status WriteSum(const GprofOptions& options, const profile::SymbolTable& symbols,
                      const analyzer::ListingInput& input, profile::RawProfile& profile);

}  // namespace gprofhub::cli
