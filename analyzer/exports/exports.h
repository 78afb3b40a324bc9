// A profile for other programs: as JSON, and in the formats of callgrind_annotate
// and KCachegrind, pprof, flame graphs and speedscope.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "analyzer/exports/call_paths.h"
#include "analyzer/listing/text_buffer.h"

namespace gprofhub::analyzer {

enum class ExportFormat { kJson, kCallgrind, kPprof, kFolded, kSpeedscope };

// "json", "callgrind", "pprof", "folded" or "speedscope"; the error names these.
absl::StatusOr<ExportFormat> ParseExportFormat(absl::string_view name);

// Writes the profile. Times are in the profile's unit ("seconds"). Formats of whole numbers use
// millionths (callgrind, folded) or billionths (pprof) of the unit.
void WriteExport(const ExportInput& input, ExportFormat format, TextSink sink);

}  // namespace gprofhub::analyzer
