// --format=: the profile for another program.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "analyzer/exports/exports.h"
#include "analyzer/listing_input.h"
#include "analyzer/ordering/file_map.h"
#include "analyzer/text_buffer.h"
#include "cli/gprof/options.h"
#include "profile/raw_profile.h"
#include "profile/symbols.h"

namespace gprofhub {

// Whether the format is known and has all that is asked for. The status' message
// is the line to print.
absl::Status CheckExport(const GprofOptions& options);

// Writes the profile, and in JSON the further listings asked for, to `sink`.
// `listing` is that of the options with their symspecs, `file_map` that of -R, `records` what
// --file-info found. CheckExport must have passed.
void ExportProfile(const GprofOptions& options, const ListingOptions& listing,
                   const SymbolTable& symbols, const RawProfile& profile,
                   const std::vector<StaticCall>& static_calls,
                   const std::vector<MappedFunction>& file_map, std::vector<ProfileRecords> records,
                   TextSink sink);

}  // namespace gprofhub
