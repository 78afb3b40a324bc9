#include "page/views/target/target.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "page/html/table.h"
#include "page/views/addresses.h"
#include "page/words/words.h"
#include "reporter/text/numbers.h"

namespace gprofhub::page {
namespace {

Html TargetMenu(const Context& context, const TargetPlace& place, absl::string_view here) {
  std::vector<Html> items;
  for (const auto& [page, words] :
       {std::pair("graph", "Call graph"), std::pair("drawn", "Drawn"),
        std::pair("flame", "Flame graph"), std::pair("listing", "Listing"),
        std::pair("ordering", "Ordering"), std::pair("download", "Files")}) {
    Attributes attributes = {Href(TargetUrl(context.project, place.run, page, place.target))};
    if (here == page) attributes.push_back(Attribute("aria-current", "page"));
    items.push_back(El("li", {}, El("a", attributes, Html(words))));
  }
  return El("nav", {{"class", "tabs"}, {"aria-label", "Views of this profile"}},
            El("ul", {}, Join(items)));
}

Html About(const Context& context, const TargetPlace& place) {
  return El("p", {{"class", "about"}},
            {Html(place.target), Html(" · "),
             Link(RunUrl(context.project, place.run), Html(absl::StrCat("run ", place.run))),
             Html(" · "), CommitOf(context.links, place.commit)});
}

}  // namespace

Html TargetHead(const Context& context, const TargetPlace& place, absl::string_view title,
                absl::string_view here) {
  return Join({El("h1", {}, Html(title)), About(context, place), TargetMenu(context, place, here)});
}

Url GraphUrl(const Context& context, const TargetPlace& place, absl::string_view function) {
  return TargetUrl(context.project, place.run, "graph", place.target).With("function", function);
}

Html TimeOf(double seconds) {
  return seconds == 0 ? Html("0") : Html(reporter::HumanTime(seconds, "seconds"));
}

Html ShareOf(double share) { return Join({Html(reporter::HumanShare(share)), Bar(share)}); }

}  // namespace gprofhub::page
