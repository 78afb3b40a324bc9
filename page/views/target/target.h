// What the pages about one target of a run share.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "page/html/html.h"
#include "page/html/url.h"
#include "page/views/shell.h"

namespace gprofhub::page {

// Which profile a page is about.
struct TargetPlace {
  std::string run;  // its id
  std::string commit;
  std::string target;
};

// The heading of such a page: its title, the target, the run, and the other pages about it with
// this one, such as "flame", marked.
Html TargetHead(const Context& context, const TargetPlace& place, absl::string_view title,
                absl::string_view here);

// The call graph's page of a function, by linkage name; empty: of all.
Url GraphUrl(const Context& context, const TargetPlace& place, absl::string_view function);

// "0" or a time in words. Seconds.
Html TimeOf(double seconds);
// A share, 0 to 1, with its bar.
Html ShareOf(double share);

}  // namespace gprofhub::page
