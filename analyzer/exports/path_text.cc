#include "analyzer/exports/path_text.h"

#include "analyzer/exports/call_paths.h"

namespace gprofhub::analyzer {

std::string FrameName(const ExportInput& input, uint32_t row) {
  switch (row) {
    case kElsewhereFrame:
      return "[other modules]";
    case kDeeperFrame:
      return "[deeper calls]";
    case kUnreadableFrame:
      return "[callers unknown]";
    default:
      const absl::string_view name = input.listing.names[row];
      return name.empty() ? input.listing.rows.LinkageName(row) : std::string(name);
  }
}

std::string WithoutBreaks(absl::string_view name, absl::string_view forbidden) {
  std::string clean(name);
  for (char& c : clean) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f || forbidden.find(c) != absl::string_view::npos) c = '?';
  }
  return clean;
}

double UnitsPerSample(const ListingInput& listing) {
  return listing.rate == 0 ? 1 : 1.0 / listing.rate;
}

}  // namespace gprofhub::analyzer
