#include "page/views/target.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/text.h"
#include "page/html.h"
#include "page/trend_picture.h"
#include "page/views/shell.h"
#include "page/words.h"
#include "reporter/findings/text.h"

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

Html DrawnGraphView(const Context& context, const TargetPlace& place, const DrawnGraph& graph,
                    uint32_t nodes) {
  std::vector<Html> sizes;
  for (const uint32_t size : {20u, 50u, 100u, 200u}) {
    const Url url = TargetUrl(context.project, place.run, "drawn", place.target)
                        .With("nodes", absl::StrCat(size));
    Attributes attributes = {Href(url)};
    if (size == nodes) attributes.push_back(Attribute("aria-current", "page"));
    sizes.push_back(El("li", {}, El("a", attributes, Html(absl::StrCat(size)))));
  }
  std::vector<Row> rows;
  for (const DrawnGraph::Node& node : graph.nodes) {
    Row row;
    row.css_class = "walk";
    row.cells = {Link(GraphUrl(context, place, node.name), FunctionCode(node.display)),
                 ShareOf(node.share), ShareOf(node.self_share), CountOf(node.name, node.calls)};
    rows.push_back(std::move(row));
  }
  const Url data = Url::Path({"api", "v1", "projects", context.project, "runs", place.run, "graph"})
                       .With("target", place.target)
                       .With("nodes", absl::StrCat(nodes));
  return Join(
      {TargetHead(context, place, "The hottest part of the call graph", "drawn"),
       El("nav", {{"class", "tabs"}, {"aria-label", "How many functions"}},
          El("ul", {}, Join(sizes))),
       El("div",
          {{"id", "drawn"},
           {"tabindex", "0"},
           {"data-url", data},
           {"data-entry", GraphUrl(context, place, "")},
           {"role", "group"},
           {"aria-label", "Drawn call graph; the table below has the same"}},
          El("p", {{"class", "about"}}, "Scripts draw the graph here. The table has the same.")),
       Table("Functions of the drawing",
             {{"Function"},
              {"Share", true, "With everything called"},
              {"Own", true},
              {"Calls", true}},
             rows)});
}

std::string DrawnGraphJson(const DrawnGraph& graph) {
  nlohmann::ordered_json json;
  nlohmann::ordered_json& nodes = json["nodes"] = nlohmann::ordered_json::array();
  for (const DrawnGraph::Node& node : graph.nodes) {
    nodes.push_back({{"name", node.name},
                     {"display", base::Printable(node.display)},
                     {"self_share", node.self_share},
                     {"share", node.share},
                     {"calls", node.calls}});
  }
  nlohmann::ordered_json& edges = json["edges"] = nlohmann::ordered_json::array();
  for (const DrawnGraph::Edge& edge : graph.edges) {
    edges.push_back(
        {{"from", edge.from}, {"to", edge.to}, {"calls", edge.calls}, {"share", edge.share}});
  }
  return json.dump(-1, ' ', /*ensure_ascii=*/true,
                   nlohmann::ordered_json::error_handler_t::replace);
}

Html FlameView(const Context& context, const TargetPlace& place, const FlamePage& flame) {
  const bool is_differential = !flame.base.empty();
  const auto time = [&flame](double value) { return TimeOf(value / flame.unit); };
  std::vector<Row> rows;
  for (const StackCost& cost : flame.costs) {
    Row row;
    row.css_class = "walk";
    const Html name = Link(Url::Path({"p", context.project, "runs", place.run, "graph"})
                               .With("target", place.target)
                               .With("q", cost.name),
                           FunctionCode(cost.name));
    if (is_differential) {
      row.cells = {name, time(cost.total_before), time(cost.total_after), time(cost.self_before),
                   time(cost.self_after)};
    } else {
      row.cells = {name, time(cost.total_after), time(cost.self_after)};
    }
    rows.push_back(std::move(row));
  }
  std::vector<Column> columns = {{"Function"}};
  if (is_differential) {
    columns.insert(columns.end(), {{"In all before", true},
                                   {"In all after", true},
                                   {"Own before", true},
                                   {"Own after", true}});
  } else {
    columns.insert(columns.end(), {{"In all", true}, {"Own", true}});
  }
  const Url data =
      Url::Path({"api", "v1", "projects", context.project, "runs", place.run, "stacks"})
          .With("target", place.target)
          .With("base", flame.base);
  const Url speedscope = Url::Path({"p", context.project, "runs", place.run, "speedscope"})
                             .With("target", place.target);
  return Join(
      {TargetHead(context, place, is_differential ? "Differential flame graph" : "Flame graph",
                  "flame"),
       El("p", {{"class", "note"}},
          Html(
              flame.is_measured
                  ? "Measured: samples with their call stacks."
                  : "Synthesized: no stacks were recorded, so the call graph's arcs were followed. "
                    "A path may be one that no execution took.")),
       is_differential
           ? El("p", {{"class", "about"}},
                {Html("Compared with "),
                 Link(RunUrl(context.project, flame.base), Html(absl::StrCat("run ", flame.base))),
                 Html(". Widths are of this run. Red costs more than before, blue costs less.")})
           : Html(),
       El("div", {{"class", "toolbar"}, {"id", "flame-tools"}},
          {El("button", {{"type", "button"}, {"id", "flame-turn"}, {"aria-pressed", "false"}},
              "Icicle"),
           is_differential
               ? El("button",
                    {{"type", "button"}, {"id", "flame-sides"}, {"aria-pressed", "false"}},
                    "Widths of before")
               : Html(),
           El("button", {{"type", "button"}, {"id", "flame-reset"}}, "Whole"),
           El("label", {},
              {Html("Search "), El("input", {{"type", "search"}, {"id", "flame-search"}})}),
           Link(speedscope, "Open in speedscope", "button")}),
       El("div",
          {{"id", "flame"},
           {"data-url", data},
           {"role", "group"},
           {"aria-label", "Flame graph; the table below has the same"}},
          El("p", {{"class", "about"}}, "Scripts draw the graph here. The table has the same.")),
       El("p", {{"id", "flame-details"}, {"class", "about"}, {"role", "status"}}, ""),
       Table("Functions, each stack counted once", columns, rows)});
}

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
