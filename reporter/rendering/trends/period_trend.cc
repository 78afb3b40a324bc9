#include "reporter/rendering/trends/period_trend.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "base/printable.h"
#include "profile/names/quantities.h"
#include "reporter/rendering/trends/level_marks.h"
#include "reporter/rendering/trends/trend.h"
#include "reporter/text/numbers.h"
#include "reporter/text/units.h"

namespace gprofhub::reporter {
namespace {

using Json = nlohmann::ordered_json;

std::string Day(const v1::TrendPeriod& period) {
  return absl::FormatTime("%Y-%m-%d", absl::FromUnixMillis(period.unix_ms()), absl::UTCTimeZone());
}

Json JsonOf(const v1::TrendSpread& spread) {
  return {{"least", spread.least()}, {"median", spread.median()}, {"most", spread.most()}};
}

}  // namespace

absl::string_view NameOfTrendBy(v1::TrendBy by) {
  if (by == v1::BY_DAY) return "day";
  return by == v1::BY_WEEK ? "week" : "run";
}

absl::StatusOr<v1::TrendBy> TrendByOf(absl::string_view name) {
  if (name.empty()) return v1::BY_RUN;
  for (const v1::TrendBy by : {v1::BY_RUN, v1::BY_DAY, v1::BY_WEEK}) {
    if (name == NameOfTrendBy(by)) return by;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("by: run, day or week, and not \"", base::Printable(name), "\""));
}

std::string RenderPeriodsTable(const v1::GetTrendResponse& trend) {
  std::vector<double> calls, self;
  for (const v1::TrendPeriod& period : trend.periods()) {
    calls.push_back(period.calls().median());
    self.push_back(period.self_seconds().median());
  }
  const profile::CountUnit unit = profile::UnitOfCalls(trend.function());
  const auto row = [](const std::vector<std::string>& cells) {
    return absl::StrFormat("%-10s  %6s  %15s  %15s  %15s  %8s  %10s  %10s  %10s  %10s  %8s%s\n",
                           cells[0], cells[1], cells[2], cells[3], cells[4], cells[5], cells[6],
                           cells[7], cells[8], cells[9], cells[10], cells[11]);
  };
  const auto time = [&trend](double seconds) { return HumanTime(seconds, trend.dimension()); };
  std::string out = absl::StrCat(base::Printable(trend.function_display()),
                                 absl::StrFormat("\n  %-8s  ", ColumnOfCounts(unit)),
                                 Sparkline(calls), "\n  own time  ", Sparkline(self), "\n\n");
  absl::StrAppend(&out, row({absl::StrCat(NameOfTrendBy(trend.by()), " (UTC)"), "runs",
                             absl::StrCat(ColumnOfCounts(unit), " least"), "median", "most",
                             "change", "own least", "median", "most", "total", "last run", ""}));
  double before = 0;
  for (const v1::TrendPeriod& period : trend.periods()) {
    const double median = period.calls().median();
    const bool changed = before != 0 && median != before;
    absl::StrAppend(
        &out,
        row({Day(period), absl::StrCat(period.runs()), CountInColumn(period.calls().least(), unit),
             CountInColumn(median, unit), CountInColumn(period.calls().most(), unit),
             changed ? HumanEffect((median / before - 1) * 100) : "",
             time(period.self_seconds().least()), time(period.self_seconds().median()),
             time(period.self_seconds().most()), time(period.total_seconds().median()),
             base::Printable(period.last_run_id()),
             LevelMark(period.calls_change(), period.self_change(), unit)}));
    before = median;
  }
  return out;
}

std::string RenderPeriodsCsv(const v1::GetTrendResponse& trend) {
  std::string out =
      "begins,runs,last_run_id,calls_least,calls_median,calls_most,self_least,self_median,"
      "self_most,total_least,total_median,total_most\n";
  for (const v1::TrendPeriod& period : trend.periods()) {
    int64_t last_run = 0;
    // Untrusted response of a server: only numbers may enter a spreadsheet.
    if (!absl::SimpleAtoi(period.last_run_id(), &last_run)) last_run = 0;
    absl::StrAppend(&out, Day(period), ",", period.runs(), ",", last_run);
    for (const v1::TrendSpread* spread :
         {&period.calls(), &period.self_seconds(), &period.total_seconds()}) {
      absl::StrAppend(&out, absl::StrFormat(",%.15g,%.15g,%.15g", spread->least(), spread->median(),
                                            spread->most()));
    }
    out += "\n";
  }
  return out;
}

std::string RenderPeriodsJson(const v1::GetTrendResponse& trend) {
  Json json;
  json["function"] = trend.function();
  json["function_display"] = trend.function_display();
  json["dimension"] = trend.dimension();
  json["unit"] = std::string(profile::UnitName(profile::UnitOfCalls(trend.function())));
  json["by"] = std::string(NameOfTrendBy(trend.by()));
  json["periods"] = Json::array();
  for (const v1::TrendPeriod& period : trend.periods()) {
    json["periods"].push_back({{"begins", Day(period)},
                               {"unix_ms", period.unix_ms()},
                               {"runs", period.runs()},
                               {"last_run_id", period.last_run_id()},
                               {"calls", JsonOf(period.calls())},
                               {"self_seconds", JsonOf(period.self_seconds())},
                               {"total_seconds", JsonOf(period.total_seconds())},
                               {"calls_change", LevelMarkJson(period.calls_change())},
                               {"self_change", LevelMarkJson(period.self_change())}});
  }
  return json.dump(2, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) + "\n";
}

}  // namespace gprofhub::reporter
