// Which pages of text a program touches, as a picture.
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

// One block of squares, a page each, row by row, for each strip: dark where it is
// touched at start-up, light where later, empty where never. The SVG has titles and a
// legend; the PNG the squares alone, in the same order, ten pixels each with a margin of ten
// around each block. INTERNAL if libpng cannot write it: it has more than a million rows.
std::string PagesAsSvg(absl::Span<const PageStrip> strips);
absl::StatusOr<std::string> PagesAsPng(absl::Span<const PageStrip> strips);

}  // namespace gprofhub::cli
