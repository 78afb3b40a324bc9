#include "page/views/search.h"

#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "base/text.h"
#include "page/words.h"

namespace gprofhub::page {

Html SearchView(const Context& context, const std::string& text,
                const std::vector<SearchGroup>& groups) {
  const Html form =
      El("form", {{"class", "filter"}, {"role", "search"}, Action(SearchUrl(context.project, ""))},
         {El("input", {{"type", "search"},
                       {"name", "q"},
                       {"id", "filter"},
                       {"value", text},
                       {"autocomplete", "off"},
                       {"spellcheck", "false"},
                       {"aria-label", "Search text"}}),
          El("button", {{"type", "submit"}}, "Search")});
  std::vector<Html> pieces = {El("h1", {}, "Search"), form};
  bool is_empty = true;
  for (const SearchGroup& group : groups) {
    if (group.hits.empty()) continue;
    is_empty = false;
    std::vector<Html> items;
    for (const SearchHit& hit : group.hits) {
      items.push_back(El("li", {{"class", "walk"}},
                         {Link(hit.url, FunctionCode(hit.text)), Html(" "),
                          El("span", {{"class", "about"}}, Html(hit.about))}));
    }
    pieces.push_back(El("h2", {}, Html(group.title)));
    pieces.push_back(El("ul", {{"class", "plain"}}, Join(items)));
    if (group.has_more) {
      pieces.push_back(
          El("p", {{"class", "about"}},
             Html(absl::StrCat("The first ", group.hits.size(), "; a longer text finds fewer."))));
    }
  }
  if (is_empty) {
    pieces.push_back(El("p", {{"class", "lead"}},
                        text.empty() ? Html("Search for a part of a function’s name, a target, a "
                                            "branch, a run, a commit or a pull request.")
                                     : Html(absl::StrCat("No match for “", text,
                                                         "”. Functions and targets are those of "
                                                         "the latest run."))));
  }
  return Join(pieces);
}

std::string SearchJson(const std::vector<SearchGroup>& groups, absl::string_view path_prefix) {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (const SearchGroup& group : groups) {
    if (group.hits.empty()) continue;
    Json hits = Json::array();
    for (const SearchHit& hit : group.hits) {
      hits.push_back({{"text", base::Printable(hit.text)},
                      {"about", base::Printable(hit.about)},
                      {"url", hit.url.text(path_prefix)}});
    }
    list.push_back({{"title", group.title}, {"more", group.has_more}, {"hits", hits}});
  }
  return Json{{"groups", list}}.dump(-1, ' ', /*ensure_ascii=*/true,
                                     Json::error_handler_t::replace);
}

}  // namespace gprofhub::page
