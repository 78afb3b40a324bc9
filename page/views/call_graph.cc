#include "page/call_graph.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "page/html.h"
#include "page/views/shell.h"
#include "page/views/views.h"
#include "page/words.h"

namespace gprofhub::page {

namespace {

constexpr size_t kListedFunctions = 300;

// `called`: lists callees, otherwise callers.
Html NeighboursOf(const Context& context, const TargetPlace& place,
                  const profile::ComputedProfile& profile, absl::string_view caption,
                  std::optional<uint32_t> called, const std::vector<Neighbour>& neighbours,
                  double all_calls, double all_time) {
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
        CountOf(NameOf(profile, called.value_or(one.function)), one.calls),
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
                {"Of its calls", true},
                {"Self", true},
                {"Children", true, "Time of the functions that it calls"},
                {"Of its time", true},
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
        CountOf(NameOf(profile, row), cost.calls),
        cost.self_calls == 0 ? Html() : Count(cost.self_calls),
        PlaceOf(context.links, place.commit, profile.strings[function.file], function.line)};
    rows.push_back(std::move(out));
  }
  return Table("Functions, highest total time first",
               {{"Function"},
                {"Share", true, "Total time as a share of all samples"},
                {"Self", true},
                {"Total", true},
                {"Calls", true, "Per execution of the target"},
                {"Recursive", true, "Recursive calls"},
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
                {Html("Filter by name "), El("input", {{"type", "search"},
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
      NeighboursOf(context, place, profile, "Callers", row, entry.callers, entry.calls, time),
      El("section", {{"class", "middle"}, {"aria-label", "The function"}},
         {El("h2", {}, FunctionCode(DisplayNameOf(profile, row))),
          Facts({{"Calls", CountOf(NameOf(profile, row), entry.calls)},
                 {"Recursive calls", entry.self_calls == 0 ? Html() : Count(entry.self_calls)},
                 {"Self", TimeOf(entry.self_time)},
                 {"Total", TimeOf(time)},
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
      NeighboursOf(context, place, profile, "Callees", std::nullopt, entry.callees, 0, time),
  });
}

}  // namespace

Html CallersAndCallees(const Context& context, const TargetPlace& place,
                       const profile::ComputedProfile& profile, uint32_t function) {
  const GraphEntry entry = EntryOf(profile, function);
  const double time = entry.self_time + entry.children_time;
  return Join(
      {NeighboursOf(context, place, profile, "Callers", function, entry.callers, entry.calls, time),
       NeighboursOf(context, place, profile, "Callees", std::nullopt, entry.callees, 0, time)});
}

Html CallGraphView(const Context& context, const TargetPlace& place,
                   const profile::ComputedProfile& profile, const GraphQuery& query) {
  std::vector<Html> pieces = {TargetHead(context, place, "Call graph", "graph"),
                              GraphSearch(context, place, query.part)};
  if (query.function.has_value()) {
    pieces.push_back(EntryView(context, place, profile, *query.function));
    return Join(pieces);
  }
  const std::vector<uint32_t> rows = HottestFunctions(profile, query.part, kListedFunctions);
  pieces.push_back(rows.empty() ? El("p", {}, "No function matches this filter.")
                                : FunctionList(context, place, profile, rows));
  if (rows.size() == kListedFunctions) {
    pieces.push_back(El("p", {{"class", "about"}},
                        Html(absl::StrCat("The first ", kListedFunctions, " of ",
                                          profile.functions.size(), " functions."))));
  }
  for (const std::string& warning : profile.warnings) {
    pieces.push_back(El("p", {{"class", "note"}}, Html(warning)));
  }
  return Join(pieces);
}

}  // namespace gprofhub::page
