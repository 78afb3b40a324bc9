// --format=: the profile for another program.
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

}  // namespace gprofhub::cli
