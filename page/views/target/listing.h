// A profile as text and files: gprof's listings, downloads.
#pragma once

#include <string>
#include <vector>

#include "page/html/html.h"
#include "page/views/shell.h"
#include "page/views/target/target.h"

namespace gprofhub::page {

struct ListingChoice {
  std::string kind;  // "flat", "graph", "lines", "annotated"
  std::string words;
};
Html ListingView(const Context& context, const TargetPlace& place, const std::string& kind,
                 const std::vector<ListingChoice>& kinds, const std::string& text);

struct Download {
  std::string format, words, file;
  std::string image;  // its build-id, where the target has several; else empty
};
Html DownloadView(const Context& context, const TargetPlace& place,
                  const std::vector<Download>& downloads);

}  // namespace gprofhub::page
