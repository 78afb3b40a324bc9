#include "page/views/target/ordering.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "page/charts/page_strip.h"
#include "page/html/table.h"
#include "page/views/addresses.h"
#include "page/words/words.h"
#include "reporter/text/numbers.h"

namespace gprofhub::page {
namespace {

int64_t Ran(const std::vector<bool>& pages) { return std::count(pages.begin(), pages.end(), true); }

Html Strip(absl::string_view words, const std::vector<bool>& pages) {
  const std::string title =
      absl::StrCat(words, ": ", reporter::HumanCount(Ran(pages)), " of ",
                   reporter::HumanCount(pages.size()), " pages have code that ran");
  return El("figure", {}, {El("figcaption", {}, Html(title)), PageStrip(title, pages)});
}

Html ImageView(const Context& context, const TargetPlace& place, const OrderingPage& page,
               const OrderingPage::Image& image) {
  std::vector<Row> rows;
  for (const OrderingPage::Moved& one : image.moved) {
    Row row;
    row.css_class = one.name == page.function ? "walk here" : "walk";
    if (one.name == page.function) row.id = "function";
    row.cells = {Count(one.place_then), Count(one.place_now),
                 Link(GraphUrl(context, place, one.name), FunctionCode(one.display)),
                 Count(one.calls)};
    rows.push_back(std::move(row));
  }
  return El(
      "section", {},
      {El("h2", {}, Html(image.name)), Strip("As it is linked", image.as_linked),
       Strip("In this order", image.in_order),
       El("p", {{"class", "about"}},
          "A square is a page of 4 KiB. A function that ran is taken to run as a whole; "
          "gprofhub order --replay tells more, with a trace."),
       Table("Functions to move to the front",
             {{"Place in the order", true}, {"Place now", true}, {"Function"}, {"Calls", true}},
             rows)});
}

Html DriftView(const Context& context, const TargetPlace& place, const OrderingPage& page) {
  std::vector<Html> pieces = {El("h2", {}, "How orders age")};
  if (!page.drift_error.empty()) {
    pieces.push_back(El("p", {{"class", "note"}}, Html(page.drift_error)));
  } else if (page.drift.empty()) {
    const Url ask =
        TargetUrl(context.project, place.run, "ordering", place.target).With("drift", "1");
    pieces.push_back(
        El("p", {}, Link(ask, "Try the orders of earlier runs on this one", "button")));
  } else {
    std::vector<Row> rows;
    const double now = static_cast<double>(page.drift.front().pages);
    for (const OrderingPage::Drift& one : page.drift) {
      const double pages = static_cast<double>(one.pages);
      rows.push_back(
          {{Link(RunUrl(context.project, one.run), Html(one.run)), When(one.unix_ms),
            CommitOf(context.links, one.commit), Count(pages),
            now > 0 && pages != now ? Html(reporter::HumanEffect((pages - now) / now * 100))
                                    : Html()}});
    }
    pieces.push_back(Table(
        "Pages with code that ran in this run, under the orders of others",
        {{"Order of run", true}, {"When"}, {"Commit"}, {"Pages", true}, {"Beside its own", true}},
        rows));
  }
  return Join(pieces);
}

}  // namespace

Html OrderingView(const Context& context, const TargetPlace& place, const OrderingPage& page) {
  std::vector<Html> pieces = {
      TargetHead(context, place, "Ordering", "ordering"),
      El("p", {{"class", "lead"}},
         "The functions in link order: those that run together stand together."),
      El("p", {},
         {Html("Link with it: "),
          El("code", {},
             Html(absl::StrCat("gprofhub order --run ", place.run, " ", place.target)))})};
  for (const OrderingPage::Image& image : page.images) {
    pieces.push_back(ImageView(context, place, page, image));
  }
  pieces.push_back(DriftView(context, place, page));
  pieces.push_back(
      El("details", {},
         {El("summary", {}, "The whole order, as the linker takes it"),
          El("pre", {{"class", "listing"}, {"tabindex", "0"}, {"aria-label", "The ordering"}},
             Html::Lines(page.text))}));
  return Join(pieces);
}

}  // namespace gprofhub::page
