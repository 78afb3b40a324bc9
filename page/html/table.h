// Tables that can be read without scripts.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "page/html/html.h"

namespace gprofhub::page {

struct Column {
  std::string head;
  bool is_number = false;  // aligned on the right, digits of one width
  std::string hint = {};   // what the column means
};

struct Row {
  std::vector<Html> cells;
  std::string id = {};         // that links lead to; empty: none
  std::string css_class = {};  // empty: none
};

// A table in a box that scrolls on narrow screens. `caption` names it for all readers.
Html Table(absl::string_view caption, const std::vector<Column>& columns,
           const std::vector<Row>& rows);

// "name: value" pairs.
Html Facts(const std::vector<std::pair<std::string, Html>>& facts);

// A bar that shows a share, 0 to 1, beside its number; nothing for those who do not see it.
Html Bar(double share, absl::string_view css_class = "bar");

}  // namespace gprofhub::page
