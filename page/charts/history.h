// Sparklines drawn by the server: values from run to run as dots. Each is placed next to a table or
// a sentence with the same values.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "page/html/html.h"

namespace gprofhub::page {

struct HistoryDot {
  enum class Mark { kNone, kBase, kHead };
  double value = 0;
  Mark mark = Mark::kNone;
  bool begins_level = false;  // a new level begins here
  std::string hint = {};      // tooltip
};

// An SVG of the dots in their order, on one scale. It has a title for screen readers and no style
// of its own. NaN values are left out. Empty without values.
Html HistoryDots(absl::string_view title, const std::vector<HistoryDot>& dots);

}  // namespace gprofhub::page
