// Tables that work without scripts.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "page/html/html.h"

namespace gprofhub::page {

struct Column {
  std::string head;
  bool is_number = false;  // right-aligned, tabular digits
  std::string hint = {};   // what the column means
};

struct Row {
  std::vector<Html> cells;
  std::string id = {};         // anchor; empty: none
  std::string css_class = {};  // empty: none
};

// A table in a box that scrolls on narrow screens. `caption` names it, also for screen readers.
Html Table(absl::string_view caption, const std::vector<Column>& columns,
           const std::vector<Row>& rows);

// "name: value" pairs.
Html Facts(const std::vector<std::pair<std::string, Html>>& facts);

// A bar for a share, 0 to 1, next to its number. Hidden from screen readers.
Html Bar(double share, absl::string_view css_class = "bar");

}  // namespace gprofhub::page
