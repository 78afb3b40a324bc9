#include "page/views/target/listing.h"

#include "absl/strings/str_cat.h"
#include "page/html/table.h"
#include "page/views/addresses.h"

namespace gprofhub::page {

Html ListingView(const Context& context, const TargetPlace& place, const std::string& kind,
                 const std::vector<ListingChoice>& kinds, const std::string& text) {
  std::vector<Html> items;
  for (const ListingChoice& choice : kinds) {
    Attributes attributes = {Href(
        TargetUrl(context.project, place.run, "listing", place.target).With("kind", choice.kind))};
    if (choice.kind == kind) attributes.push_back(Attribute("aria-current", "page"));
    items.push_back(El("li", {}, El("a", attributes, Html(choice.words))));
  }
  return Join({TargetHead(context, place, "Listing", "listing"),
               El("nav", {{"class", "tabs"}, {"aria-label", "Kinds of listings"}},
                  El("ul", {}, Join(items))),
               El("pre", {{"class", "listing"}, {"tabindex", "0"}, {"aria-label", "The listing"}},
                  Html::Lines(text))});
}

Html DownloadView(const Context& context, const TargetPlace& place,
                  const std::vector<Download>& downloads) {
  std::vector<Row> rows;
  for (const Download& download : downloads) {
    rows.push_back({{Link(TargetUrl(context.project, place.run, "download", place.target)
                              .With("format", download.format)
                              .With("image", download.image),
                          Html(download.file)),
                     Html(download.words)}});
  }
  return Join({TargetHead(context, place, "Files", "download"),
               Table("The same profile for other programs", {{"File"}, {"For"}}, rows)});
}

}  // namespace gprofhub::page
