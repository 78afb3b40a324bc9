#include "page/views/function.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "page/charts/history.h"
#include "page/html/table.h"
#include "page/views/addresses.h"
#include "page/views/target.h"
#include "page/words/words.h"
#include "reporter/text/numbers.h"

namespace gprofhub::page {

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

}  // namespace gprofhub::page
