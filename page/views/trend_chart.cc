#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "page/trend_picture.h"
#include "page/views/views.h"
#include "page/words.h"
#include "profile/names.h"
#include "reporter/findings/text.h"
#include "reporter/rendering/trend.h"

namespace gprofhub::page {

namespace {

constexpr size_t kDots = 300;

struct Band {
  double low = 0;
  double value = 0;
  double high = 0;
};

// A run, a day or a week.
struct Point {
  std::string run;
  int64_t unix_ms = 0;
  double calls = 0;
  Band self;
  Band total;
  bool has_new_calls = false;  // a new level of calls begins
  bool begins_level = false;
  std::string commit = {};
  bool is_on_line = true;  // joined with its neighbours
  std::string subject = {};
};

Band WithError(double value, double error) {
  return {std::max(0.0, value - error), value, value + error};
}

Band BandOf(const v1::TrendSpread& spread) {
  return {spread.least(), spread.median(), spread.most()};
}

std::vector<Point> PointsOf(const FunctionPage& page) {
  const v1::GetTrendResponse& trend = page.trend;
  std::vector<Point> points;
  for (const v1::TrendPoint& run : trend.points()) {
    points.push_back({run.run_id(), run.unix_ms(), run.calls(),
                      WithError(run.self_seconds(), run.self_error_seconds()),
                      WithError(run.total_seconds(), run.total_error_seconds()),
                      run.calls_change() != v1::NO_CHANGE, BeginsLevel(run), run.commit(),
                      page.line_branch.empty() || run.branch() == page.line_branch, run.subject()});
  }
  for (const v1::TrendPeriod& period : trend.periods()) {
    points.push_back({period.last_run_id(), period.unix_ms(), period.calls().median(),
                      BandOf(period.self_seconds()), BandOf(period.total_seconds()),
                      period.calls_change() != v1::NO_CHANGE, BeginsLevel(period)});
  }
  return points;
}

// "1,2.5,…", for scripts.
template <typename Of>
std::string Joined(const std::vector<Point>& points, Of of) {
  return absl::StrJoin(
      points, ",", [&](std::string* out, const Point& point) { absl::StrAppend(out, of(point)); });
}

std::string Short(double value) { return absl::StrFormat("%.7g", value); }

// The calls of a trend at the places of another one; a gap where it has no value.
std::string CallsAtPlacesOf(const v1::GetTrendResponse& trend, const std::vector<Point>& places) {
  std::map<int64_t, double> periods;
  std::map<std::string, double> runs;
  for (const v1::TrendPoint& run : trend.points()) runs[run.run_id()] = run.calls();
  for (const v1::TrendPeriod& period : trend.periods()) {
    periods[period.unix_ms()] = period.calls().median();
  }
  return Joined(places, [&](const Point& place) {
    const auto run = runs.find(place.run);
    if (run != runs.end()) return Short(run->second);
    const auto period = periods.find(place.unix_ms);
    return period == periods.end() ? std::string() : Short(period->second);
  });
}

Html DotsOfCalls(const v1::GetTrendResponse& trend, const std::vector<Point>& points,
                 absl::string_view by) {
  const profile::CountUnit unit = profile::UnitOfCalls(trend.function());
  std::vector<HistoryDot> dots;
  for (size_t i = points.size() - std::min(points.size(), kDots); i < points.size(); ++i) {
    dots.push_back({points[i].calls, HistoryDot::Mark::kNone, points[i].has_new_calls,
                    absl::StrCat(by == "run" ? "run " : "until run ", points[i].run, ": ",
                                 reporter::CountInUnit(points[i].calls, unit))});
  }
  return HistoryDots(absl::StrCat(UnitTitle(trend.function()), " per execution, the latest ",
                                  dots.size(), " ", by, "s, oldest first"),
                     dots);
}

}  // namespace

Html TrendChart(const Context& context, const FunctionPage& page) {
  const v1::GetTrendResponse& trend = page.trend;
  const std::vector<Point> points = PointsOf(page);
  const std::string by(reporter::NameOfTrendBy(trend.by()));
  const Attributes attributes = {
      {"id", "trend"},
      {"data-by", by},
      {"data-compare", Url::Path({"p", context.project, "compare"})},
      {"data-runs", Joined(points, [](const Point& p) { return p.run; })},
      {"data-times", Joined(points, [](const Point& p) { return p.unix_ms; })},
      {"data-calls", Joined(points, [](const Point& p) { return Short(p.calls); })},
      {"data-unit", UnitTitle(trend.function())},
      {"data-self", Joined(points, [](const Point& p) { return Short(p.self.value); })},
      {"data-self-low", Joined(points, [](const Point& p) { return Short(p.self.low); })},
      {"data-self-high", Joined(points, [](const Point& p) { return Short(p.self.high); })},
      {"data-total", Joined(points, [](const Point& p) { return Short(p.total.value); })},
      {"data-total-low", Joined(points, [](const Point& p) { return Short(p.total.low); })},
      {"data-total-high", Joined(points, [](const Point& p) { return Short(p.total.high); })},
      {"data-line", Joined(points, [](const Point& p) { return int{p.is_on_line}; })},
      {"data-changed", Joined(points, [](const Point& p) { return int{p.begins_level}; })}};
  std::vector<Html> beside;
  for (const v1::GetTrendResponse& one : page.beside) {
    beside.push_back(
        El("span", {{"data-name", DisplayOf(one)}, {"data-calls", CallsAtPlacesOf(one, points)}}));
  }
  std::vector<Html> steps;
  for (size_t i = 0; i < points.size(); ++i) {
    if (!points[i].begins_level || points[i].commit.empty()) continue;
    const std::string words = points[i].subject.empty() ? "" : ": " + points[i].subject;
    steps.push_back(El("span", {{"data-step", absl::StrCat(i)},
                                {"data-text", ShortCommit(points[i].commit) + words}}));
  }
  return Join({El("div", {{"id", "trend-beside"}, {"hidden", "hidden"}}, Join(beside)),
               El("div", {{"id", "trend-steps"}, {"hidden", "hidden"}}, Join(steps)),
               El("div", attributes, DotsOfCalls(trend, points, by))});
}

}  // namespace gprofhub::page
