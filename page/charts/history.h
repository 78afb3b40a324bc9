// Small pictures that the server draws itself: values from run to run as dots. Each stands beside a
// table or a sentence with the same values.
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
  std::string hint = {};      // what it is
};

// An SVG of the dots in their order, on one scale. It has a title for who does not see it, and no
// style of its own. Values that are no numbers are left out. Empty without values.
Html HistoryDots(absl::string_view title, const std::vector<HistoryDot>& dots);

}  // namespace gprofhub::page
