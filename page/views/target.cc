#include "page/views/target.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
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

namespace {

// A choice of a form that works without scripts.
Html Chooser(absl::string_view name, absl::string_view words, absl::string_view chosen,
             const std::vector<std::pair<std::string, std::string>>& choices) {
  std::vector<Html> options;
  for (const auto& [value, text] : choices) {
    Attributes attributes = {{"value", value}};
    if (value == chosen) attributes.push_back(Attribute("selected", ""));
    options.push_back(El("option", attributes, Html(text)));
  }
  return El("label", {}, {Html(words), Html(" "), El("select", {{"name", name}}, Join(options))});
}

Html FlameChoosers(const Context& context, const TargetPlace& place, const FlamePage& flame) {
  std::vector<std::pair<std::string, std::string>> targets;
  for (const std::string& target : flame.targets) targets.emplace_back(target, target);
  std::vector<std::pair<std::string, std::string>> bases = {{"", "none"}};
  bases.insert(bases.end(), flame.runs.begin(), flame.runs.end());
  return El("form",
            {{"class", "filter"},
             {"id", "flame-choice"},
             Action(Url::Path({"p", context.project, "runs", place.run, "flame"}))},
            {Chooser("target", "Target", place.target, targets),
             Chooser("run", "Run", place.run, flame.runs),
             Chooser("base", "Compare with", flame.base, bases),
             El("button", {{"type", "submit"}}, "Show")});
}

// A switch is off; another button is disabled until there is something to act on.
Html ToolButton(absl::string_view id, absl::string_view words, bool is_switch = false) {
  Attributes attributes = {{"type", "button"}, {"id", id}};
  attributes.push_back(is_switch ? Attribute("aria-pressed", "false") : Attribute("disabled", ""));
  return El("button", attributes, Html(words));
}

// Only scripts make use of them, and show them.
Html FlameTools(const FlamePage& flame) {
  return El(
      "div", {{"class", "toolbar"}, {"id", "flame-tools"}, {"hidden", ""}},
      {El("label", {},
          {Html("Search "),
           El("input", {{"type", "search"}, {"id", "filter"}, {"spellcheck", "false"}})}),
       El("span", {{"id", "flame-found"}, {"role", "status"}}), ToolButton("flame-reset", "Whole"),
       ToolButton("flame-around", "Callers and callees"), ToolButton("flame-copy", "Copy name"),
       ToolButton("flame-collapse", "Collapse recursion", /*is_switch=*/true),
       flame.base.empty() ? Html()
                          : ToolButton("flame-sides", absl::StrCat("Widths of run ", flame.base),
                                       /*is_switch=*/true)});
}

struct ChangeWords {
  StackChange change;
  absl::string_view css_class, words, meaning;
};
constexpr ChangeWords kChanges[] = {
    {StackChange::kSlower, "slower", "slower", "slower than the base"},
    {StackChange::kFaster, "faster", "faster", "faster than the base"},
    {StackChange::kNew, "new", "new", "new: not in the base"},
    {StackChange::kVanished, "vanished", "vanished", "vanished: only in the base"},
    {StackChange::kSame, "same", "", "same"},
};

Html FlameLegend() {
  std::vector<Html> items;
  for (const ChangeWords& one : kChanges) {
    items.push_back(
        El("li", {},
           {El("span", {{"class", absl::StrCat("swatch ", one.css_class)}}), Html(one.meaning)}));
  }
  return El("ul", {{"class", "legend"}, {"aria-label", "Colors of the frames"}}, Join(items));
}

// Which widths frames have; scripts change it with the widths.
Html WidthsOf(absl::string_view id, const std::string& run, const std::string& other,
              absl::string_view only_there, bool is_hidden) {
  Attributes attributes = {{"id", id}};
  if (is_hidden) attributes.push_back(Attribute("hidden", ""));
  return El("span", attributes,
            Html(absl::StrCat("Widths are times in run ", run, "; ", only_there,
                              " frames have their width in run ", other, ".")));
}

Html DifferentialHead(const Context& context, const TargetPlace& place, const FlamePage& flame) {
  return Join({El("p", {{"class", "about"}},
                  {Html("Run "), Link(RunUrl(context.project, place.run), Html(place.run)),
                   Html(" compared with base "),
                   Link(RunUrl(context.project, flame.base), Html(flame.base)), Html(". "),
                   WidthsOf("flame-of-head", place.run, flame.base, "vanished", false),
                   WidthsOf("flame-of-base", flame.base, place.run, "new", true)}),
               FlameLegend()});
}

// "+12.3 ms (+54%)".
Html ChangeCell(double before, double after, double unit) {
  if (before == after) return Html("0");
  const double change = after - before;
  const std::string time =
      absl::StrCat(change > 0 ? "+" : "-", reporter::HumanTime(std::abs(change) / unit, "seconds"));
  if (before == 0 || after == 0) return Html(time);
  return Html(absl::StrCat(time, " (", reporter::HumanEffect(change / before * 100), ")"));
}

Html FlameTable(const Context& context, const TargetPlace& place, const FlamePage& flame) {
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
      const ChangeWords& change =
          *std::find_if(std::begin(kChanges), std::end(kChanges),
                        [&cost](const ChangeWords& one) { return one.change == ChangeOf(cost); });
      row.cells = {name,
                   Html(change.words),
                   ChangeCell(cost.self_before, cost.self_after, flame.unit),
                   time(cost.self_before),
                   time(cost.self_after),
                   ChangeCell(cost.total_before, cost.total_after, flame.unit),
                   time(cost.total_before),
                   time(cost.total_after)};
    } else {
      row.cells = {name, time(cost.total_after), time(cost.self_after)};
    }
    rows.push_back(std::move(row));
  }
  if (!is_differential) {
    return Table("Functions, each stack counted once",
                 {{"Function"}, {"Total", true}, {"Self", true}}, rows);
  }
  return Table("Functions, each stack counted once; the largest change of self time first",
               {{"Function"},
                {"Change", false, "Of its self time"},
                {"Self, change", true},
                {"Self, base", true},
                {"Self, head", true},
                {"Total, change", true},
                {"Total, base", true},
                {"Total, head", true}},
               rows);
}

}  // namespace

Html FlameView(const Context& context, const TargetPlace& place, const FlamePage& flame) {
  const bool is_differential = !flame.base.empty();
  const Url data =
      Url::Path({"api", "v1", "projects", context.project, "runs", place.run, "stacks"})
          .With("target", place.target)
          .With("base", flame.base);
  return Join(
      {TargetHead(context, place, is_differential ? "Differential flame graph" : "Flame graph",
                  "flame"),
       FlameChoosers(context, place, flame),
       El("p", {{"class", "note"}},
          {Html(flame.is_measured
                    ? "Measured: samples with their call stacks."
                    : "Estimated: no stacks were recorded, so paths follow the call graph. A path "
                      "may be one that no execution took."),
           Html(" Frames in brackets are other objects, such as [libc.so.6].")}),
       is_differential ? DifferentialHead(context, place, flame) : Html(), FlameTools(flame),
       El("div",
          {{"id", "flame"},
           {"data-url", data},
           {"role", "group"},
           {"aria-label", "Flame graph; the table below has the same"}},
          El("p", {{"class", "about"}}, "Scripts draw the graph here. The table has the same.")),
       El("p", {{"id", "flame-details"}, {"class", "about"}}), FlameTable(context, place, flame)});
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
