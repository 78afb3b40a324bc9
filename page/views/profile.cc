#include "page/views/profile.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/printable.h"
#include "page/charts/history.h"
#include "page/html/table.h"
#include "page/views/addresses.h"
#include "page/words/words.h"
#include "reporter/text/numbers.h"

namespace gprofhub::page {
namespace {

constexpr size_t kListedFunctions = 300;

Html TimeOf(double time) { return time == 0 ? "0" : reporter::HumanTime(time, "seconds"); }
Html ShareOf(double share) { return Join({Html(reporter::HumanShare(share)), Bar(share)}); }

Url GraphUrl(const Context& context, const TargetPlace& place, absl::string_view function) {
  return TargetUrl(context.project, place.run, "graph", place.target).With("function", function);
}

// The pages of one target, with this one marked.
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

Html NeighboursOf(const Context& context, const TargetPlace& place,
                  const profile::ComputedProfile& profile, absl::string_view caption,
                  absl::string_view of, const std::vector<Neighbour>& neighbours, double all_calls,
                  double all_time) {
  if (neighbours.empty()) {
    return El("p", {{"class", "about none"}}, Html(absl::StrCat(caption, ": none.")));
  }
  std::vector<Row> rows;
  for (const Neighbour& one : neighbours) {
    const bool is_known = one.function < profile.functions.size();
    const Html name = FunctionCode(DisplayNameOf(profile, one.function));
    const uint32_t cycle = is_known ? profile.functions[one.function].cycle : 0;
    Row row;
    row.css_class = "walk";
    row.cells = {
        Join({is_known ? Link(GraphUrl(context, place, NameOf(profile, one.function)), name) : name,
              cycle == 0 ? Html() : Html(absl::StrCat(" <cycle ", cycle, ">"))}),
        Count(one.calls),
        all_calls > 0 ? ShareOf(one.calls / all_calls) : Html(),
        TimeOf(one.self_time),
        TimeOf(one.children_time),
        all_time > 0 ? ShareOf((one.self_time + one.children_time) / all_time) : Html(),
        Join({PlaceOf(context.links, place.commit, one.site_file, one.site_line),
              one.sites > 1 ? Html(absl::StrCat(" and ", one.sites - 1, " more")) : Html()})};
    rows.push_back(std::move(row));
  }
  return Table(caption,
               {{"Function"},
                {"Calls", true, "Per execution of the target"},
                {absl::StrCat("Of ", of, " calls"), true},
                {"Own time", true},
                {"With children", true},
                {absl::StrCat("Of ", of, " time"), true},
                {"Called at"}},
               rows);
}

Html FunctionList(const Context& context, const TargetPlace& place,
                  const profile::ComputedProfile& profile, const std::vector<uint32_t>& functions) {
  std::vector<Row> rows;
  for (const uint32_t row : functions) {
    const GraphEntry cost = CostOf(profile, row);
    const profile::FunctionCost& function = profile.functions[row];
    Row out;
    out.css_class = "walk";
    out.cells = {
        Link(GraphUrl(context, place, NameOf(profile, row)),
             FunctionCode(DisplayNameOf(profile, row))),
        ShareOf(cost.share),
        TimeOf(cost.self_time),
        TimeOf(cost.self_time + cost.children_time),
        Count(cost.calls),
        cost.self_calls == 0 ? Html() : Count(cost.self_calls),
        PlaceOf(context.links, place.commit, profile.strings[function.file], function.line)};
    rows.push_back(std::move(out));
  }
  return Table("Functions, most time with everything called first",
               {{"Function"},
                {"Share", true, "Of all samples, with everything called"},
                {"Own time", true},
                {"In all", true},
                {"Calls", true, "Per execution of the target"},
                {"Of itself", true, "Recursive calls"},
                {"Defined at"}},
               rows);
}

Html GraphSearch(const Context& context, const TargetPlace& place, const std::string& part) {
  return El("form",
            {{"class", "filter"},
             {"role", "search"},
             Action(Url::Path({"p", context.project, "runs", place.run, "graph"}))},
            {El("input", {{"type", "hidden"}, {"name", "target"}, {"value", place.target}}),
             El("label", {},
                {Html("Functions whose name has "), El("input", {{"type", "search"},
                                                                 {"name", "q"},
                                                                 {"value", part},
                                                                 {"id", "filter"},
                                                                 {"spellcheck", "false"}})}),
             El("button", {{"type", "submit"}}, "Show")});
}

Html EntryView(const Context& context, const TargetPlace& place,
               const profile::ComputedProfile& profile, uint32_t row) {
  const GraphEntry entry = EntryOf(profile, row);
  const profile::FunctionCost& function = profile.functions[row];
  const double time = entry.self_time + entry.children_time;
  std::vector<Html> members;
  for (const uint32_t member : MembersOf(profile, entry.cycle)) {
    members.push_back(El("li", {},
                         Link(GraphUrl(context, place, NameOf(profile, member)),
                              FunctionCode(DisplayNameOf(profile, member)))));
  }
  return Join({
      NeighboursOf(context, place, profile, "Callers", "its", entry.callers, entry.calls, time),
      El("section", {{"class", "middle"}, {"aria-label", "The function"}},
         {El("h2", {}, FunctionCode(DisplayNameOf(profile, row))),
          Facts({{"Calls", Count(entry.calls)},
                 {"Of itself", entry.self_calls == 0 ? Html() : Count(entry.self_calls)},
                 {"Own time", TimeOf(entry.self_time)},
                 {"With everything called", TimeOf(time)},
                 {"Share of all", ShareOf(entry.share)},
                 {"Defined at", PlaceOf(context.links, place.commit, profile.strings[function.file],
                                        function.line)},
                 {"Cycle", entry.cycle == 0 ? Html() : Html(absl::StrCat(entry.cycle))}}),
          El("p", {{"class", "links"}},
             {Link(FunctionUrl(context.project, NameOf(profile, row), place.target), "Trend"),
              Html(" · "), Link(GraphUrl(context, place, ""), "All functions")}),
          members.empty() ? Html()
                          : El("details", {{"open", "open"}},
                               {El("summary", {},
                                   Html(absl::StrCat("Cycle ", entry.cycle, ": ", members.size(),
                                                     " functions that call each other"))),
                                El("ul", {}, Join(members))})}),
      NeighboursOf(context, place, profile, "Callees", "its", entry.callees, 0, time),
  });
}

}  // namespace

Html CallGraphView(const Context& context, const TargetPlace& place,
                   const profile::ComputedProfile& profile, const GraphQuery& query) {
  std::vector<Html> pieces = {El("h1", {}, "Call graph"), About(context, place),
                              TargetMenu(context, place, "graph"),
                              GraphSearch(context, place, query.part)};
  if (query.function.has_value()) {
    pieces.push_back(EntryView(context, place, profile, *query.function));
    return Join(pieces);
  }
  const std::vector<uint32_t> rows = HottestFunctions(profile, query.part, kListedFunctions);
  pieces.push_back(rows.empty() ? El("p", {}, "No function's name has that.")
                                : FunctionList(context, place, profile, rows));
  if (rows.size() == kListedFunctions) {
    pieces.push_back(El("p", {{"class", "about"}},
                        Html(absl::StrCat("These are the first ", kListedFunctions, " of ",
                                          profile.functions.size(), " functions."))));
  }
  for (const std::string& warning : profile.warnings) {
    pieces.push_back(El("p", {{"class", "note"}}, Html(warning)));
  }
  return Join(pieces);
}

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
                 ShareOf(node.share), ShareOf(node.self_share), Count(node.calls)};
    rows.push_back(std::move(row));
  }
  const Url data = Url::Path({"api", "v1", "projects", context.project, "runs", place.run, "graph"})
                       .With("target", place.target)
                       .With("nodes", absl::StrCat(nodes));
  return Join(
      {El("h1", {}, "The hottest part of the call graph"), About(context, place),
       TargetMenu(context, place, "drawn"),
       El("nav", {{"class", "tabs"}, {"aria-label", "How many functions"}},
          El("ul", {}, Join(sizes))),
       El("div",
          {{"id", "drawn"},
           {"tabindex", "0"},
           {"data-url", data.text()},
           {"data-entry", GraphUrl(context, place, "").text()},
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
      {El("h1", {}, is_differential ? "Differential flame graph" : "Flame graph"),
       About(context, place), TargetMenu(context, place, "flame"),
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
           {"data-url", data.text()},
           {"role", "group"},
           {"aria-label", "Flame graph; the table below has the same"}},
          El("p", {{"class", "about"}}, "Scripts draw the graph here. The table has the same.")),
       El("p", {{"id", "flame-details"}, {"class", "about"}, {"role", "status"}}, ""),
       Table("Functions, each stack counted once", columns, rows)});
}

Html FunctionView(const Context& context, const FunctionPage& page) {
  const v1::GetTrendResponse& trend = page.trend;
  std::vector<Row> rows;
  double last = 0;
  for (int i = 0; i < trend.points_size(); ++i) {
    const v1::TrendPoint& point = trend.points(i);
    const bool changed = point.calls_change() != v1::NO_CHANGE;
    const std::string effect = i > 0 && last > 0 && point.calls() != last
                                   ? reporter::HumanEffect((point.calls() - last) / last * 100)
                                   : "";
    last = point.calls();
    Row row;
    row.css_class = changed || point.self_change() != v1::NO_CHANGE ? "walk changed" : "walk";
    const auto number = [](double value, const Html& words) {
      return El("data", {{"value", absl::StrFormat("%.9g", value)}}, words);
    };
    row.cells = {
        Link(RunUrl(context.project, point.run_id()), Html(point.run_id())),
        El("data", {{"value", absl::StrCat(point.unix_ms())}}, When(point.unix_ms())),
        CommitOf(context.links, point.commit()),
        Html(point.branch()),
        number(point.calls(), Count(point.calls())),
        Html(effect),
        number(point.self_seconds(), TimeOf(point.self_seconds())),
        number(point.self_error_seconds(), TimeOf(point.self_error_seconds())),
        number(point.total_seconds(), TimeOf(point.total_seconds())),
        i == 0 ? Html()
               : Link(CompareUrl(context.project, point.run_id(), trend.points(i - 1).run_id()),
                      changed ? "New level: compare" : "Compare")};
    rows.push_back(std::move(row));
  }
  std::reverse(rows.begin(), rows.end());  // newest first, as all lists
  std::vector<Row> reached;
  for (const FunctionPage::Reached& one : page.reached) {
    reached.push_back(
        {{Link(TargetUrl(context.project, page.newest_run, "graph", one.target)
                   .With("function", trend.function()),
               Html(one.target)),
          Count(one.entry.calls), TimeOf(one.entry.self_time),
          TimeOf(one.entry.self_time + one.entry.children_time), ShareOf(one.entry.share)}});
  }
  std::vector<HistoryDot> dots;
  for (const v1::TrendPoint& point : trend.points()) {
    dots.push_back(
        {point.calls(), HistoryDot::Mark::kNone, point.calls_change() != v1::NO_CHANGE,
         absl::StrCat("run ", point.run_id(), ": ", reporter::HumanCount(point.calls()))});
  }
  return Join(
      {El("h1", {},
          FunctionCode(trend.function_display().empty() ? trend.function()
                                                        : trend.function_display())),
       El("p", {{"class", "about"}},
          {Html(page.target.empty() ? "All targets" : page.target),
           page.branch.empty() ? Html() : Html(absl::StrCat(" · ", page.branch)),
           trend.function() == trend.function_display()
               ? Html()
               : Join({Html(" · "), El("code", {{"class", "linkage"}}, Html(trend.function()))})}),
       El("form", {{"class", "filter"}, Action(Url::Path({"p", context.project, "function"}))},
          {El("input", {{"type", "hidden"}, {"name", "name"}, {"value", trend.function()}}),
           El("label", {},
              {Html("Target "), El("input", {{"name", "target"}, {"value", page.target}})}),
           El("label", {},
              {Html("Branch "), El("input", {{"name", "branch"}, {"value", page.branch}})}),
           El("button", {{"type", "submit"}}, "Show")}),
       El("div", {{"id", "trend"}, {"data-for", "trend-table"}},
          HistoryDots("Calls per execution, run by run, oldest first", dots)),
       reached.empty() ? Html()
                       : Table(absl::StrCat("Where it ran in run ", page.newest_run),
                               {{"Target"},
                                {"Calls", true},
                                {"Own time", true},
                                {"In all", true},
                                {"Share", true}},
                               reached),
       El("div", {{"id", "trend-table"}},
          Table("Run by run, newest first",
                {{"Run", true},
                 {"When"},
                 {"Commit"},
                 {"Branch"},
                 {"Calls", true},
                 {"Change", true},
                 {"Own time", true},
                 {"± error", true, "One standard error of the own time"},
                 {"In all", true},
                 {"With the run before"}},
                rows))});
}

Html FunctionChoiceView(const Context& context, const std::string& name,
                        const std::vector<std::pair<std::string, std::string>>& names,
                        const std::string& message) {
  std::vector<Html> items;
  for (const auto& [linkage, display] : names) {
    items.push_back(El("li", {{"class", "walk"}},
                       Link(FunctionUrl(context.project, linkage, ""), FunctionCode(display))));
  }
  return Join({El("h1", {}, Html(absl::StrCat("Functions like “", name, "”"))),
               El("p", {{"class", "lead"}}, Html(message)),
               items.empty() ? Html() : El("ul", {{"class", "plain"}}, Join(items))});
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
  return Join({El("h1", {}, "Listing"), About(context, place),
               TargetMenu(context, place, "listing"),
               El("nav", {{"class", "tabs"}, {"aria-label", "Kinds of listings"}},
                  El("ul", {}, Join(items))),
               El("pre", {{"class", "listing"}, {"tabindex", "0"}, {"aria-label", "The listing"}},
                  Html::Lines(text))});
}

Html OrderingView(const Context& context, const TargetPlace& place, const std::string& text) {
  return Join({El("h1", {}, "Ordering"), About(context, place),
               TargetMenu(context, place, "ordering"),
               El("p", {{"class", "lead"}},
                  "The functions in link order: those that run together stand together."),
               El("p", {},
                  {Html("Link with it: "),
                   El("code", {},
                      Html(absl::StrCat("gprofhub order --run ", place.run, " ", place.target)))}),
               El("pre", {{"class", "listing"}, {"tabindex", "0"}, {"aria-label", "The ordering"}},
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
  return Join({El("h1", {}, "Files"), About(context, place), TargetMenu(context, place, "download"),
               Table("The same profile for other programs", {{"File"}, {"For"}}, rows)});
}

}  // namespace gprofhub::page
