#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "page/html.h"
#include "page/views/shell.h"
#include "page/views/target.h"
#include "page/views/views.h"
#include "page/words.h"
#include "reporter/findings/text.h"
#include "reporter/rendering/trend.h"

namespace gprofhub::page {

namespace {

// Longer tables keep only the rows at which a level begins: browsers are slow with more.
constexpr int kRows = 200;

using Trend = v1::GetTrendResponse;

Row RowOf(const Context& context, const FunctionPage& page, int i,
          const std::vector<std::map<absl::string_view, double>>& beside) {
  const Trend& trend = page.trend;
  const v1::TrendPoint& point = trend.points(i);
  const double before = i > 0 ? trend.points(i - 1).calls() : 0;
  Row row;
  row.css_class = BeginsLevel(point) ? "walk changed" : "walk";
  row.cells = {
      Link(RunUrl(context.project, point.run_id()), Html(point.run_id())),
      When(point.unix_ms()),
      CommitOf(context.links, point.commit(), point.subject()),
      Html(point.branch()),
      CountOf(trend.function(), point.calls()),
      before > 0 && point.calls() != before
          ? Html(reporter::HumanEffect((point.calls() - before) / before * 100))
          : Html(),
      TimeOf(point.self_seconds()),
      TimeOf(point.self_error_seconds()),
      TimeOf(point.total_seconds()),
      TimeOf(point.total_error_seconds()),
      i == 0 ? Html()
             : Link(CompareUrl(context.project, point.run_id(), trend.points(i - 1).run_id()),
                    point.calls_change() != v1::NO_CHANGE ? "New level: compare" : "Compare")};
  for (size_t one = 0; one < beside.size(); ++one) {
    const auto found = beside[one].find(point.run_id());
    row.cells.push_back(
        found == beside[one].end() ? Html() : CountOf(page.beside[one].function(), found->second));
  }
  return row;
}

}  // namespace

Html RunsTable(const Context& context, const FunctionPage& page) {
  const Trend& trend = page.trend;
  std::vector<std::map<absl::string_view, double>> beside;
  std::vector<Column> columns = {{"Run", true},
                                 {"When"},
                                 {"Commit"},
                                 {"Branch"},
                                 {UnitTitle(trend.function()), true},
                                 {"Change", true},
                                 {"Self", true},
                                 {"± self", true, "One standard error of the self time"},
                                 {"Total", true},
                                 {"± total", true, "One standard error of the total time, at most"},
                                 {"With the run before"}};
  for (const Trend& one : page.beside) {
    columns.push_back(
        {absl::StrCat(UnitTitle(one.function()), " of ", reporter::FunctionName(DisplayOf(one))),
         true});
    auto& calls = beside.emplace_back();
    for (const v1::TrendPoint& point : one.points()) calls[point.run_id()] = point.calls();
  }
  std::vector<Row> rows;
  for (int i = trend.points_size(); i-- > 0;) {  // newest first, as in all lists
    const bool is_new = i >= trend.points_size() - kRows;
    if (is_new || BeginsLevel(trend.points(i))) rows.push_back(RowOf(context, page, i, beside));
  }
  const bool is_whole = trend.points_size() <= kRows;
  const std::string caption =
      is_whole ? "Run by run, newest first"
               : absl::StrCat("The latest ", kRows, " of ", trend.points_size(),
                              " runs, and those at which a level begins; newest first");
  const Url all = Url::Path({"api", "v1", "projects", context.project, "function"})
                      .With("name", trend.function())
                      .With("target", page.target)
                      .With("branch", page.branch)
                      .With("limit", absl::StrCat(trend.points_size()));
  return Join(
      {Table(caption, columns, rows),
       is_whole ? Html() : El("p", {{"class", "about"}}, Link(all, "All of them, as JSON"))});
}

Html PeriodsTable(const Context& context, const FunctionPage& page) {
  const Trend& trend = page.trend;
  std::vector<Row> rows;
  for (int i = trend.periods_size(); i-- > 0;) {  // newest first, as in all lists
    const v1::TrendPeriod& period = trend.periods(i);
    const double before = i > 0 ? trend.periods(i - 1).calls().median() : 0;
    const double median = period.calls().median();
    Row row;
    row.css_class = BeginsLevel(period) ? "walk changed" : "walk";
    row.cells = {
        When(period.unix_ms()),
        Html(absl::StrCat(period.runs())),
        CountOf(trend.function(), period.calls().least()),
        CountOf(trend.function(), median),
        CountOf(trend.function(), period.calls().most()),
        before > 0 && median != before
            ? Html(reporter::HumanEffect((median - before) / before * 100))
            : Html(),
        TimeOf(period.self_seconds().least()),
        TimeOf(period.self_seconds().median()),
        TimeOf(period.self_seconds().most()),
        TimeOf(period.total_seconds().median()),
        i == 0 ? Html()
               : Link(CompareUrl(context.project, period.last_run_id(),
                                 trend.periods(i - 1).last_run_id()),
                      period.calls_change() != v1::NO_CHANGE ? "New level: compare" : "Compare")};
    rows.push_back(std::move(row));
  }
  const absl::string_view by = reporter::NameOfTrendBy(trend.by());
  return Table(absl::StrCat(by == "day" ? "Day by day" : "Week by week", ", newest first"),
               {{by == "day" ? "Day" : "Week of"},
                {"Runs", true},
                {absl::StrCat(UnitTitle(trend.function()), ", min"), true},
                {"median", true},
                {"max", true},
                {"Change", true, "Of the median"},
                {"Self, min", true},
                {"median", true},
                {"max", true},
                {"Total, median", true},
                {absl::StrCat("Its last run with that of the ", by, " before")}},
               rows);
}

}  // namespace gprofhub::page
