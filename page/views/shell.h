// What all pages share: the document, its head, the way back, the footer.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "page/html/html.h"
#include "page/html/url.h"
#include "page/words/source_links.h"

namespace gprofhub::page {

// Who looks at a page of which project.
struct Context {
  std::string project;  // empty: none
  SourceLinks links;    // of the project
  std::string user;     // empty: nobody in particular
  bool is_logged_in = false;
  bool can_log_in = false;
  bool may_acknowledge = false;
  std::string csrf;    // goes with every form that changes something
  std::string assets;  // names the version of the scripts and styles
  std::string as_of;   // of a copy of a database: when it is from; empty: it is none
};

struct Frame {
  std::string title;
  std::string section = {};  // "runs", "changes", "gate": what is marked in the menu
  std::vector<std::pair<std::string, Url>> way = {};  // from the project down to here
  std::string script = {};                            // beside app.js: "chart", "flame" or "graph"
};

// An asset's address.
Url AssetUrl(const Context& context, absl::string_view name);

// The hidden fields of a form that changes something.
Html FormGuard(const Context& context);

// The whole document.
std::string WholePage(const Context& context, const Frame& frame, const Html& content);

}  // namespace gprofhub::page
