// Which pages of a program's text have code that ran, as squares.
#pragma once

#include <vector>

#include "absl/strings/string_view.h"
#include "page/html/html.h"

namespace gprofhub::page {

// An SVG with a square for each page of 4 KiB, row by row; those that are true are filled. It has
// the title for who does not see it, and no style of its own. At most 8,192 pages are drawn.
Html PageStrip(absl::string_view title, const std::vector<bool>& pages);

}  // namespace gprofhub::page
