// A profile for other programs: as JSON, and in the formats of callgrind_annotate
// and KCachegrind, pprof, flame graphs and speedscope.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "analyzer/annotations/annotated_source.h"
#include "analyzer/annotations/execution_counts.h"
#include "analyzer/listing/prepare.h"
#include "analyzer/text/text_buffer.h"
#include "profile/raw_profile.h"

namespace gprofhub::analyzer {

enum class ExportFormat { kJson, kCallgrind, kPprof, kFolded, kSpeedscope };

// "json", "callgrind", "pprof", "folded" or "speedscope"; the error names these.
absl::StatusOr<ExportFormat> ParseExportFormat(absl::string_view name);

// How many records of each kind a profile has.
struct ProfileRecords {
  std::string path;
  uint32_t version = 0;  // of the format; 0: BSD
  uint64_t histograms = 0;
  uint64_t arcs = 0;
  uint64_t blocks = 0;
};

// The listings beside the profile itself, as far as they were asked for; only
// JSON has them.
struct FurtherListings {
  std::optional<std::vector<SourceAnnotation>> sources;
  std::optional<std::vector<ExecutionCount>> executions;
  std::optional<std::vector<ProfileRecords>> profiles;
  std::optional<std::vector<std::string>> function_order;  // linkage names
  std::optional<std::vector<std::string>> file_order;      // object files
};

struct ExportInput {
  const ListingInput& listing;
  const profile::RawProfile& profile;  // whose stacks, if any, are exported as they are
  std::string image;                   // the program's file name
  FurtherListings further = {};
};

// Writes the profile. Times are in the profile's unit ("seconds"); where a format
// wants whole numbers, in millionths of it (callgrind, folded) or billionths (pprof).
void WriteExport(const ExportInput& input, ExportFormat format, TextSink sink);

}  // namespace gprofhub::analyzer
