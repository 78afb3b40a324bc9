// Which pages of a program's text contain executed code, as squares.
#pragma once

#include <vector>

#include "absl/strings/string_view.h"
#include "page/html/html.h"

namespace gprofhub::page {

// An SVG with a square for each page of 4 KiB, row by row; those that are true are filled. `title`
// is for screen readers; the SVG has no style of its own. At most 8,192 pages are drawn.
Html PageStrip(absl::string_view title, const std::vector<bool>& pages);

}  // namespace gprofhub::page
