#include "page/html/table.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"

namespace gprofhub::page {

Html Table(absl::string_view caption, const std::vector<Column>& columns,
           const std::vector<Row>& rows) {
  std::vector<Html> heads;
  for (const Column& column : columns) {
    Attributes attributes = {{"scope", "col"}};
    if (column.is_number) attributes.push_back(Attribute("class", "num"));
    if (!column.hint.empty()) attributes.push_back(Attribute("title", column.hint));
    heads.push_back(El("th", attributes, Html(column.head)));
  }
  std::vector<Html> body;
  for (const Row& row : rows) {
    std::vector<Html> cells;
    for (size_t i = 0; i < row.cells.size(); ++i) {
      const bool is_number = i < columns.size() && columns[i].is_number;
      cells.push_back(
          El("td", is_number ? Attributes{{"class", "num"}} : Attributes{}, row.cells[i]));
    }
    Attributes attributes;
    if (!row.id.empty()) attributes.push_back(Attribute("id", row.id));
    if (!row.css_class.empty()) attributes.push_back(Attribute("class", row.css_class));
    body.push_back(El("tr", attributes, Join(cells)));
  }
  return El("div",
            {{"class", "scroll"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", caption}},
            El("table", {},
               {El("caption", {}, Html(caption)), El("thead", {}, El("tr", {}, Join(heads))),
                El("tbody", {}, Join(body))}));
}

Html Facts(const std::vector<std::pair<std::string, Html>>& facts) {
  std::vector<Html> pieces;
  for (const auto& [name, value] : facts) {
    if (value.empty()) continue;
    pieces.push_back(El("div", {}, {El("dt", {}, Html(name)), El("dd", {}, value)}));
  }
  return El("dl", {{"class", "facts"}}, Join(pieces));
}

Html Bar(double share, absl::string_view css_class) {
  const double width = std::isfinite(share) ? std::clamp(share, 0.0, 1.0) * 100 : 0;
  return El("svg",
            {{"class", css_class},
             {"viewBox", "0 0 100 6"},
             {"preserveAspectRatio", "none"},
             {"aria-hidden", "true"}},
            El("rect", {{"width", absl::StrCat(width)}, {"height", "6"}}));
}

}  // namespace gprofhub::page
