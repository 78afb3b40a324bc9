#include "page/views/target/flame.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "page/html/table.h"
#include "page/views/addresses.h"
#include "page/words/words.h"

namespace gprofhub::page {

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
           {"data-url", data.text()},
           {"role", "group"},
           {"aria-label", "Flame graph; the table below has the same"}},
          El("p", {{"class", "about"}}, "Scripts draw the graph here. The table has the same.")),
       El("p", {{"id", "flame-details"}, {"class", "about"}, {"role", "status"}}, ""),
       Table("Functions, each stack counted once", columns, rows)});
}

}  // namespace gprofhub::page
