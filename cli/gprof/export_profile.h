// --format=: export of the profile for another tool.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "analyzer/exports/input.h"
#include "analyzer/graph/static_call.h"
#include "analyzer/linker_files/file_map.h"
#include "analyzer/listing/options.h"
#include "analyzer/text/text_buffer.h"
#include "cli/gprof/options/options.h"
#include "profile/raw_profile.h"
#include "profile/symbols.h"

namespace gprofhub::cli {

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

}  // namespace gprofhub::cli
