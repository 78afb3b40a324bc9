#include "page/views/target/function.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "page/charts/history.h"
#include "page/html/table.h"
#include "page/views/addresses.h"
#include "page/views/target/target.h"
#include "page/words/words.h"
#include "profile/names/quantities.h"
#include "reporter/text/function_name.h"
#include "reporter/text/numbers.h"
#include "reporter/text/units.h"

namespace gprofhub::page {
namespace {

// Beyond these a table keeps only the rows at which a level begins: browsers are slow with more.
constexpr int kRows = 200;
constexpr int kDots = 300;

using Trend = v1::GetTrendResponse;

absl::string_view DisplayOf(const Trend& trend) {
  return trend.function_display().empty() ? trend.function() : trend.function_display();
}

bool BeginsLevel(const v1::TrendPoint& point) {
  return point.calls_change() != v1::NO_CHANGE || point.self_change() != v1::NO_CHANGE;
}

// "1,2.5,…", for scripts.
template <typename Of>
std::string Joined(const Trend& trend, Of of) {
  return absl::StrJoin(trend.points(), ",", [&](std::string* out, const v1::TrendPoint& point) {
    absl::StrAppend(out, of(point));
  });
}

std::string Short(double value) { return absl::StrFormat("%.7g", value); }

// The calls of a trend at the runs of another one; nothing where it has none.
std::string CallsAtRunsOf(const Trend& trend, const Trend& runs) {
  std::map<absl::string_view, double> calls;
  for (const v1::TrendPoint& point : trend.points()) calls[point.run_id()] = point.calls();
  return Joined(runs, [&](const v1::TrendPoint& point) {
    const auto found = calls.find(point.run_id());
    return found == calls.end() ? std::string() : Short(found->second);
  });
}

// Where the script draws; it has all values, and dots meanwhile.
Html Chart(const Context& context, const FunctionPage& page) {
  const Trend& trend = page.trend;
  const profile::CountUnit unit = profile::UnitOfCalls(trend.function());
  std::vector<HistoryDot> dots;
  for (int i = std::max(0, trend.points_size() - kDots); i < trend.points_size(); ++i) {
    const v1::TrendPoint& point = trend.points(i);
    dots.push_back(
        {point.calls(), HistoryDot::Mark::kNone, point.calls_change() != v1::NO_CHANGE,
         absl::StrCat("run ", point.run_id(), ": ", reporter::CountInUnit(point.calls(), unit))});
  }
  Attributes attributes = {
      {"id", "trend"},
      {"data-compare", Url::Path({"p", context.project, "compare"}).text()},
      {"data-runs", Joined(trend, [](const v1::TrendPoint& point) { return point.run_id(); })},
      {"data-times", Joined(trend, [](const v1::TrendPoint& point) { return point.unix_ms(); })},
      {"data-calls", Joined(trend, [](const v1::TrendPoint& p) { return Short(p.calls()); })},
      {"data-unit", UnitTitle(trend.function())},
      {"data-self", Joined(trend, [](const v1::TrendPoint& p) { return Short(p.self_seconds()); })},
      {"data-error",
       Joined(trend, [](const v1::TrendPoint& p) { return Short(p.self_error_seconds()); })},
      {"data-total",
       Joined(trend, [](const v1::TrendPoint& p) { return Short(p.total_seconds()); })},
      {"data-total-error",
       Joined(trend, [](const v1::TrendPoint& p) { return Short(p.total_error_seconds()); })},
      {"data-changed", Joined(trend, [](const v1::TrendPoint& p) { return int{BeginsLevel(p)}; })}};
  std::vector<Html> beside;
  for (const Trend& one : page.beside) {
    beside.push_back(
        El("span", {{"data-name", DisplayOf(one)}, {"data-calls", CallsAtRunsOf(one, trend)}}));
  }
  return Join(
      {El("div", {{"id", "trend-beside"}, {"hidden", "hidden"}}, Join(beside)),
       El("div", attributes,
          HistoryDots(absl::StrCat(UnitTitle(trend.function()), " per execution, the newest ",
                                   dots.size(), " runs, oldest first"),
                      dots))});
}

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
      CommitOf(context.links, point.commit()),
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

Html RunsTable(const Context& context, const FunctionPage& page) {
  const Trend& trend = page.trend;
  std::vector<std::map<absl::string_view, double>> beside;
  std::vector<Column> columns = {
      {"Run", true},
      {"When"},
      {"Commit"},
      {"Branch"},
      {UnitTitle(trend.function()), true},
      {"Change", true},
      {"Own time", true},
      {"± error", true, "One standard error of the own time"},
      {"In all", true},
      {"± error", true, "One standard error of the time in all, at most"},
      {"With the run before"}};
  for (const Trend& one : page.beside) {
    columns.push_back(
        {absl::StrCat(UnitTitle(one.function()), " of ", reporter::FunctionName(DisplayOf(one))),
         true});
    auto& calls = beside.emplace_back();
    for (const v1::TrendPoint& point : one.points()) calls[point.run_id()] = point.calls();
  }
  std::vector<Row> rows;
  for (int i = trend.points_size(); i-- > 0;) {  // newest first, as all lists
    const bool is_new = i >= trend.points_size() - kRows;
    if (is_new || BeginsLevel(trend.points(i))) rows.push_back(RowOf(context, page, i, beside));
  }
  const bool is_whole = trend.points_size() <= kRows;
  const std::string caption =
      is_whole ? "Run by run, newest first"
               : absl::StrCat("The newest ", kRows, " of ", trend.points_size(),
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

Html Filter(const Context& context, const FunctionPage& page) {
  const auto hidden = [](absl::string_view name, absl::string_view value) {
    return El("input", {{"type", "hidden"}, {"name", name}, {"value", value}});
  };
  const auto field = [](absl::string_view words, absl::string_view name, absl::string_view value) {
    return El("label", {},
              {Html(words), Html(" "),
               El("input", {{"name", name}, {"value", value}, {"spellcheck", "false"}})});
  };
  std::vector<Html> pieces = {hidden("name", page.trend.function()),
                              page.limit == 0 ? Html() : hidden("limit", absl::StrCat(page.limit)),
                              field("Target", "target", page.target),
                              field("Branch", "branch", page.branch)};
  for (size_t i = 0; i < page.beside.size(); ++i) {
    pieces.push_back(field("Beside", BesideField(i + 1), page.beside[i].function()));
  }
  if (page.beside.size() < kMostBeside) {
    pieces.push_back(field("Beside", BesideField(page.beside.size() + 1), ""));
  }
  pieces.push_back(El("button", {{"type", "submit"}}, "Show"));
  return El("form", {{"class", "filter"}, Action(Url::Path({"p", context.project, "function"}))},
            Join(pieces));
}

// How far back the trend goes.
Html Spans(const Context& context, const FunctionPage& page) {
  std::vector<Html> items;
  for (const uint32_t limit : {200u, 1000u, 10000u}) {
    const Url url = FunctionUrl(context.project, page.trend.function(), page.target)
                        .With("branch", page.branch)
                        .With("limit", absl::StrCat(limit));
    Attributes attributes = {Href(url)};
    if (limit == (page.limit == 0 ? 200 : page.limit)) {
      attributes.push_back(Attribute("aria-current", "page"));
    }
    items.push_back(El(
        "li", {}, El("a", attributes, Html(absl::StrCat(reporter::HumanCount(limit), " runs")))));
  }
  return El("nav", {{"class", "tabs"}, {"aria-label", "How far back"}}, El("ul", {}, Join(items)));
}

Html ReachedTable(const Context& context, const FunctionPage& page) {
  if (page.reached.empty()) return "";
  std::vector<Row> rows;
  for (const FunctionPage::Reached& one : page.reached) {
    const auto to = [&](absl::string_view view, const Html& words) {
      return Link(TargetUrl(context.project, page.newest_run, view, one.target)
                      .With("function", page.trend.function()),
                  words);
    };
    rows.push_back(
        {{to("graph", Html(one.target)), CountOf(page.trend.function(), one.entry.calls),
          TimeOf(one.entry.self_time), TimeOf(one.entry.self_time + one.entry.children_time),
          ShareOf(one.entry.share), to("ordering", "Its place in the order")}});
  }
  return Table(
      absl::StrCat("Where it ran in run ", page.newest_run),
      {{"Target"}, {"Calls", true}, {"Own time", true}, {"In all", true}, {"Share", true}, {""}},
      rows);
}

}  // namespace

std::string BesideField(size_t n) { return absl::StrCat("beside", n); }

Html FunctionView(const Context& context, const FunctionPage& page) {
  const Trend& trend = page.trend;
  std::vector<Html> pieces = {
      El("h1", {}, FunctionCode(DisplayOf(trend))),
      El("p", {{"class", "about"}},
         {Html(page.target.empty() ? "All targets" : page.target),
          page.branch.empty() ? Html() : Html(absl::StrCat(" · ", page.branch)),
          trend.function() == trend.function_display()
              ? Html()
              : Join({Html(" · "), El("code", {{"class", "linkage"}}, Html(trend.function()))})}),
      Filter(context, page), Spans(context, page)};
  for (const std::string& note : page.notes) {
    pieces.push_back(El("p", {{"class", "note"}}, Html(note)));
  }
  pieces.push_back(Chart(context, page));
  pieces.push_back(ReachedTable(context, page));
  if (!page.around.empty()) {
    pieces.push_back(
        El("h2", {}, Html(absl::StrCat("Around it in ", page.reached.front().target))));
    pieces.push_back(page.around);
  }
  pieces.push_back(El("h2", {}, "Run by run"));
  pieces.push_back(El("div", {{"id", "trend-table"}}, RunsTable(context, page)));
  return Join(pieces);
}

Html FunctionChoiceView(const Context& context, const std::string& name,
                        const std::vector<std::pair<std::string, std::string>>& names,
                        const std::string& message) {
  std::vector<Html> items;
  for (const auto& [linkage, display] : names) {
    items.push_back(El("li", {{"class", "walk"}},
                       Link(FunctionUrl(context.project, linkage, ""), FunctionCode(display))));
  }
  return Join(
      {El("h1", {},
          name.empty() ? Html("Functions") : Html(absl::StrCat("Functions like “", name, "”"))),
       El("p", {{"class", "lead"}}, Html(message)),
       items.empty() ? Html() : El("ul", {{"class", "plain"}}, Join(items))});
}

}  // namespace gprofhub::page
