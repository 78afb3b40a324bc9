// Picture of the pages of text that a program touches.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "analyzer/replay/replay.h"

namespace gprofhub::cli {

struct PageStrip {
  std::string title;
  std::vector<analyzer::PageTouch> pages;
};

// For each strip a block of squares, one per page, row by row: dark if touched at start-up, light
// if touched later, empty if never touched. The SVG has titles and a legend. The PNG has only the
// squares, in the same order, ten pixels each with a margin of ten around each block. INTERNAL if
// libpng cannot write the picture because it has more than a million rows.
std::string PagesAsSvg(absl::Span<const PageStrip> strips);
absl::StatusOr<std::string> PagesAsPng(absl::Span<const PageStrip> strips);

}  // namespace gprofhub::cli
