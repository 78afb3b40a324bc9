// Parts that the pages about one target of a run share.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "page/html/html.h"
#include "page/html/url.h"
#include "page/views/shell.h"

namespace gprofhub::page {

// The profile that a page is about.
struct TargetPlace {
  std::string run;  // its id
  std::string commit;
  std::string target;
};

// The heading of such a page: its title, the target, the run, and links to the other pages about
// the target. The current page, such as "flame", is marked.
Html TargetHead(const Context& context, const TargetPlace& place, absl::string_view title,
                absl::string_view here);

// The call graph page of a function, by linkage name; empty: the list of all functions.
Url GraphUrl(const Context& context, const TargetPlace& place, absl::string_view function);

// "0" or a duration in words. Seconds.
Html TimeOf(double seconds);
// A share, 0 to 1, with its bar.
Html ShareOf(double share);

}  // namespace gprofhub::page
