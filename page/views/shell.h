// Page frame: the document, its head, the breadcrumbs, the footer.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "page/html/html.h"
#include "page/html/url.h"
#include "page/words/source_links.h"

namespace gprofhub::page {

// Per-request context: the project and the user.
struct Context {
  std::string project;  // empty: none
  SourceLinks links;    // of the project
  std::string user;     // empty: anonymous
  bool is_logged_in = false;
  bool can_log_in = false;
  bool may_acknowledge = false;
  std::string csrf;    // token in every form that changes something
  std::string assets;  // version of the scripts and styles
  std::string as_of;   // time of the database snapshot; empty: not a snapshot
};

struct Frame {
  std::string title;
  std::string section = {};  // "runs", "changes", "gate": marked in the menu
  std::vector<std::pair<std::string, Url>> way = {};  // breadcrumbs, from the project down
  std::string script = {};  // in addition to app.js: "chart", "flame" or "graph"
};

// An asset's address.
Url AssetUrl(const Context& context, absl::string_view name);

// The hidden CSRF fields of a form that changes something.
Html FormGuard(const Context& context);

// The whole document.
std::string WholePage(const Context& context, const Frame& frame, const Html& content);

}  // namespace gprofhub::page
