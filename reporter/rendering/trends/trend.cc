#include "reporter/rendering/trends/trend.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "base/printable.h"
#include "profile/names/quantities.h"
#include "reporter/rendering/trends/level_marks.h"
#include "reporter/text/numbers.h"
#include "reporter/text/units.h"

namespace gprofhub::reporter {
namespace {

using Json = nlohmann::ordered_json;

std::string Date(int64_t unix_ms) {
  return absl::FormatTime("%Y-%m-%d %H:%M", absl::FromUnixMillis(unix_ms), absl::UTCTimeZone());
}

// A CSV cell, quoted, and safe against formula injection.
std::string CsvCell(absl::string_view text) {
  std::string cell = base::Printable(text);
  if (!cell.empty() && std::string("=+-@").find(cell[0]) != std::string::npos) {
    cell.insert(0, "'");
  }
  if (cell.find_first_of(",\"") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

}  // namespace

std::string Sparkline(const std::vector<double>& values) {
  static constexpr const char* kBars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  if (values.empty()) return "";
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double range = *high - *low;
  std::string line;
  for (const double value : values) {
    line += kBars[range > 0 ? std::lround((value - *low) / range * 7) : 3];
  }
  return line;
}

std::string RenderTrendTable(const v1::GetTrendResponse& trend) {
  std::vector<double> calls, self;
  double most_calls = 0;
  for (const v1::TrendPoint& point : trend.points()) {
    calls.push_back(point.calls());
    self.push_back(point.self_seconds());
    most_calls = std::max(most_calls, point.calls());
  }
  const profile::CountUnit unit = profile::UnitOfCalls(trend.function());
  std::string out = absl::StrCat(base::Printable(trend.function_display()),
                                 absl::StrFormat("\n  %-8s  ", ColumnOfCounts(unit)),
                                 Sparkline(calls), "\n  own time  ", Sparkline(self), "\n\n");
  absl::StrAppend(&out, absl::StrFormat("%-16s  %-12s  %6s  %15s  %8s  %-8s  %20s  %20s\n",
                                        "date (UTC)", "commit", "run", ColumnOfCounts(unit),
                                        "change", "", "own time", "total"));
  const v1::TrendPoint* previous = nullptr;
  for (const v1::TrendPoint& point : trend.points()) {
    std::string change;
    if (previous != nullptr && previous->calls() != point.calls()) {
      change = previous->calls() == 0 ? "new"
                                      : HumanEffect((point.calls() / previous->calls() - 1) * 100);
    }
    std::string bar;
    if (most_calls > 0) {
      for (int64_t i = std::lround(point.calls() / most_calls * 8); i > 0; --i) bar += "▇";
    }
    // Padded by hand: a bar's character has several bytes.
    bar += std::string(8 - bar.size() / 3, ' ');
    absl::StrAppend(
        &out, absl::StrFormat(
                  "%-16s  %-12s  %6s  %15s  %8s  %s  %20s  %20s%s\n", Date(point.unix_ms()),
                  base::Printable(point.commit().substr(0, 12)), base::Printable(point.run_id()),
                  CountInColumn(point.calls(), unit), change, bar,
                  absl::StrCat(HumanTime(point.self_seconds(), trend.dimension()), " +- ",
                               HumanTime(point.self_error_seconds(), trend.dimension())),
                  absl::StrCat(HumanTime(point.total_seconds(), trend.dimension()), " +- ",
                               HumanTime(point.total_error_seconds(), trend.dimension())),
                  LevelMark(point.calls_change(), point.self_change(), unit)));
    previous = &point;
  }
  return out;
}

std::string RenderTrendCsv(const v1::GetTrendResponse& trend) {
  std::string out =
      "time,commit,branch,run_id,calls,self_seconds,self_error_seconds,total_seconds,"
      "total_error_seconds\n";
  for (const v1::TrendPoint& point : trend.points()) {
    absl::StrAppend(&out,
                    absl::FormatTime(absl::RFC3339_sec, absl::FromUnixMillis(point.unix_ms()),
                                     absl::UTCTimeZone()),
                    ",", CsvCell(point.commit()), ",", CsvCell(point.branch()), ",",
                    CsvCell(point.run_id()),
                    absl::StrFormat(",%.15g,%.9g,%.9g,%.9g,%.9g\n", point.calls(),
                                    point.self_seconds(), point.self_error_seconds(),
                                    point.total_seconds(), point.total_error_seconds()));
  }
  return out;
}

std::string RenderTrendJson(const v1::GetTrendResponse& trend) {
  Json json;
  json["function"] = trend.function();
  json["function_display"] = trend.function_display();
  json["dimension"] = trend.dimension();
  json["unit"] = std::string(profile::UnitName(profile::UnitOfCalls(trend.function())));
  json["points"] = Json::array();
  for (const v1::TrendPoint& point : trend.points()) {
    json["points"].push_back({{"run_id", point.run_id()},
                              {"commit", point.commit()},
                              {"branch", point.branch()},
                              {"unix_ms", point.unix_ms()},
                              {"calls", point.calls()},
                              {"self_seconds", point.self_seconds()},
                              {"self_error_seconds", point.self_error_seconds()},
                              {"total_seconds", point.total_seconds()},
                              {"total_error_seconds", point.total_error_seconds()},
                              {"calls_change", LevelMarkJson(point.calls_change())},
                              {"self_change", LevelMarkJson(point.self_change())}});
  }
  return json.dump(2, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) + "\n";
}

}  // namespace gprofhub::reporter
