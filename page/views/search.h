// Search over a project: functions, targets, runs, commits, pull requests, branches.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "page/html.h"
#include "page/views/shell.h"

namespace gprofhub::page {

struct SearchHit {
  std::string text;
  std::string about;  // where it is; may be empty
  Url url;
};

// Hits of one kind, the best first.
struct SearchGroup {
  std::string title;  // "Functions"
  std::vector<SearchHit> hits;
  bool has_more = false;  // hits were left out
};

// The results as a page. `text` is the search; groups without hits are left out.
Html SearchView(const Context& context, const std::string& text,
                const std::vector<SearchGroup>& groups);

// {"groups": [{"title", "more", "hits": [{"text", "about", "url"}]}]}; pure ASCII.
std::string SearchJson(const std::vector<SearchGroup>& groups, absl::string_view path_prefix);

}  // namespace gprofhub::page
