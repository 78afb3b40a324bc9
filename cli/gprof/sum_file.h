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

// --format=: the profile for another program.

// Whether the format is known and has all that is asked for. The status' message
// is the line to print.
absl::Status CheckExport(const GprofOptions& options);

// Writes the profile, and in JSON the further listings asked for, to `sink`.
// `listing` is that of the options with their symspecs, `file_map` that of -R, `records` what
// --file-info found. CheckExport must have passed.
void ExportProfile(const GprofOptions& options, const analyzer::ListingOptions& listing,
                   const profile::SymbolTable& symbols, const profile::RawProfile& profile,
                   const std::vector<analyzer::StaticCall>& static_calls,
                   const std::vector<analyzer::MappedFunction>& file_map,
                   std::vector<analyzer::ProfileRecords> records, analyzer::TextSink sink);

// Writes gmon.sum into the working directory: the histograms of `profile`, the
// calls of `input`, which is line by line, from the beginning of one row to that
// of another, and the blocks that lie in a row, by address. Counts that a field
// cannot hold are split over several records. With a BSD format asked for, in that: in
// 4.4BSD's if that was, or if the older one would lose the rate. The status' message is the
// line to print. `profile` is as before when it returns.
absl::Status WriteSum(const GprofOptions& options, const profile::SymbolTable& symbols,
                      const analyzer::ListingInput& input, profile::RawProfile& profile);

}  // namespace gprofhub::cli
