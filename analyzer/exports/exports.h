// A profile for other programs: as JSON, and in the formats of callgrind_annotate
// and KCachegrind, pprof, flame graphs and speedscope.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "analyzer/exports/call_paths.h"
#include "analyzer/listing/text_buffer.h"
#include "profile/raw_profile.h"

namespace gprofhub::analyzer {

// A file format of a profile. Help texts, validation, the HTTP API and the pages iterate over
// these.
struct ExportFormat {
  absl::string_view name;         // value of --format
  absl::string_view description;  // programs that read it
  absl::string_view extension;    // of a file's name, without the first dot
  absl::string_view media_type;
  bool has_further_listings = false;  // else it cannot represent ExportInput::further
  // Writes the profile. Times are in the profile's unit ("seconds"). Formats of whole numbers use
  // millionths (callgrind, folded) or billionths (pprof) of the unit. Null for gmon.
  void (*write)(const ExportInput& input, TextSink sink) = nullptr;
  // Only for gmon, which needs no listing: the file's bytes.
  absl::StatusOr<std::string> (*make_file)(const profile::RawProfile& profile) = nullptr;
};

// The formats of `gprofhub gprof --format`; `write` of each is set.
absl::Span<const ExportFormat> ExportFormats();

// The formats that the server offers of a run's profiles: gmon, and ExportFormats.
absl::Span<const ExportFormat> DownloadFormats();

std::vector<std::string> NamesOf(absl::Span<const ExportFormat> formats);

// INVALID_ARGUMENT with the names of `formats`: none of them has this name.
absl::StatusOr<ExportFormat> FindFormat(absl::Span<const ExportFormat> formats,
                                        absl::string_view name);

}  // namespace gprofhub::analyzer
