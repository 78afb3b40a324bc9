// A profile for other programs: as JSON, and in the formats of callgrind_annotate
// and KCachegrind, pprof, flame graphs and speedscope.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "analyzer/listing_input.h"
#include "analyzer/text_buffer.h"
#include "profile/raw_profile.h"

namespace gprofhub {

enum class ExportFormat { kJson, kCallgrind, kPprof, kFolded, kSpeedscope };

// "json", "callgrind", "pprof", "folded" or "speedscope"; the error names these.
absl::StatusOr<ExportFormat> ParseExportFormat(absl::string_view name);

struct ExportInput {
  const ListingInput& listing;
  const std::vector<std::string>& names;  // by row; "" for rows of no interest
  const RawProfile& profile;              // whose stacks, if any, are exported as they are
  std::string image;                      // the program's file name
};

// Writes the profile. Times are in the profile's unit ("seconds"); where a format
// wants whole numbers, in millionths of it (callgrind, folded) or billionths (pprof).
void WriteExport(const ExportInput& input, ExportFormat format, TextSink sink);

}  // namespace gprofhub
