#include <cmath>
#include <map>

#include "absl/strings/str_cat.h"
#include "analyzer/exports/call_paths.h"
#include "analyzer/exports/formats.h"
#include "analyzer/exports/path_text.h"

namespace gprofhub::analyzer {

void WriteFolded(const ExportInput& input, TextSink sink) {
  constexpr double kMillionths = 1e6;
  const double scale = UnitsPerSample(input.listing) * kMillionths;
  const CallPaths paths = FindCallPaths(input.listing, input.profile);
  // Paths with the same text are merged into one line. The lines are sorted.
  std::map<std::string, double> lines;
  std::vector<std::string> spelling(paths.nodes.size());
  for (size_t i = 0; i < paths.nodes.size(); ++i) {
    const PathNode& node = paths.nodes[i];
    const std::string name = WithoutBreaks(FrameName(input, node.row), ";");
    spelling[i] = node.parent < 0
                      ? name
                      : absl::StrCat(spelling[static_cast<size_t>(node.parent)], ";", name);
    if (node.samples > 0) lines[spelling[i]] += node.samples * scale;
  }
  for (const auto& [path, value] : lines) {
    const int64_t rounded = std::llround(value);
    if (rounded > 0) sink(absl::StrCat(path, " ", rounded, "\n"));
  }
}

}  // namespace gprofhub::analyzer
