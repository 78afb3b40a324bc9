// Names of the frames of call paths, escaped for the formats.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "analyzer/exports/input.h"

namespace gprofhub::analyzer {

// The frame's name; frames without a row have names in brackets.
std::string FrameName(const ExportInput& input, uint32_t row);

// `name` with control characters and `forbidden`, which would end a line or a field, replaced by
// '?'. A symbol's name may hold any byte but 0.
std::string WithoutBreaks(absl::string_view name, absl::string_view forbidden = "");

// Units (of the profile's dimension) per sample.
double UnitsPerSample(const ListingInput& listing);

}  // namespace gprofhub::analyzer
