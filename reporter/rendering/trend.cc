#include "reporter/rendering/trend.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "base/text.h"
#include "profile/names.h"
#include "proto/query.pb.h"
#include "reporter/findings/function_rows.h"
#include "reporter/findings/text.h"
#include "reporter/rendering/row_words.h"

namespace gprofhub::reporter {

namespace {

// Marks of runs, days and weeks at which a new level begins.

// The end of a row: "  <- calls, own time"; empty if no level begins.
std::string LevelMark(v1::ChangeMark calls, v1::ChangeMark self, profile::CountUnit unit) {
  std::string marks;
  if (calls != v1::NO_CHANGE) marks = std::string(ColumnOfCounts(unit));
  if (self != v1::NO_CHANGE) absl::StrAppend(&marks, marks.empty() ? "" : ", ", "self time");
  if (marks.empty()) return "";
  return absl::StrCat("  <- ", marks, calls == v1::CHANGED_UNCONFIRMED ? " (unconfirmed)" : "");
}

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

namespace {

// "12.3 ms +- 1 ms".
std::string TimeAndError(double seconds, double error, const v1::GetTrendResponse& trend) {
  return absl::StrCat(HumanTime(seconds, trend.dimension()), " +- ",
                      HumanTime(error, trend.dimension()));
}

}  // namespace

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
                                 absl::StrFormat("\n  %-9s ", ColumnOfCounts(unit)),
                                 Sparkline(calls), "\n  self time ", Sparkline(self), "\n\n");
  absl::StrAppend(&out, absl::StrFormat("%-16s  %-12s  %6s  %15s  %8s  %-8s  %20s  %20s\n",
                                        "date (UTC)", "commit", "run", ColumnOfCounts(unit),
                                        "change", "", "self time", "total"));
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
    absl::StrAppend(
        &out,
        absl::StrFormat("%-16s  %-12s  %6s  ", Date(point.unix_ms()),
                        base::Printable(point.commit().substr(0, 12)),
                        base::Printable(point.run_id())),
        RightAligned(CountInColumn(point.calls(), unit), 15), "  ", RightAligned(change, 8), "  ",
        LeftAligned(bar, 8), "  ",
        RightAligned(TimeAndError(point.self_seconds(), point.self_error_seconds(), trend), 20),
        "  ",
        RightAligned(TimeAndError(point.total_seconds(), point.total_error_seconds(), trend), 20),
        LevelMark(point.calls_change(), point.self_change(), unit), "\n");
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

namespace {

std::string Day(const v1::TrendPeriod& period) {
  return absl::FormatTime("%Y-%m-%d", absl::FromUnixMillis(period.unix_ms()), absl::UTCTimeZone());
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
    constexpr size_t kColumns[] = {6, 15, 15, 15, 8, 10, 10, 10, 10, 8};
    std::string line = LeftAligned(cells[0], 10);
    for (size_t i = 0; i < std::size(kColumns); ++i) {
      absl::StrAppend(&line, "  ", RightAligned(cells[i + 1], kColumns[i]));
    }
    return absl::StrCat(line, cells.back(), "\n");
  };
  const auto time = [&trend](double seconds) { return HumanTime(seconds, trend.dimension()); };
  std::string out = absl::StrCat(base::Printable(trend.function_display()),
                                 absl::StrFormat("\n  %-9s ", ColumnOfCounts(unit)),
                                 Sparkline(calls), "\n  self time ", Sparkline(self), "\n\n");
  absl::StrAppend(&out, row({absl::StrCat(NameOfTrendBy(trend.by()), " (UTC)"), "runs",
                             absl::StrCat(ColumnOfCounts(unit), " least"), "median", "most",
                             "change", "self least", "median", "most", "total", "last run", ""}));
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

namespace {

// A commit, or the name of a local directory.
const std::string& NameOf(const v1::Release& release) {
  return release.commit().empty() ? release.run_id() : release.commit();
}

std::string ShortName(const v1::Release& release) {
  return release.commit().empty() ? base::Printable(release.run_id())
                                  : base::Printable(release.commit().substr(0, 12));
}

std::string Where(const v1::ChangeEvent& event) {
  std::string words;
  if (event.at().unix_ms() != 0) {
    absl::StrAppend(&words,
                    absl::FormatTime("%Y-%m-%d %H:%M ", absl::FromUnixMillis(event.at().unix_ms()),
                                     absl::UTCTimeZone()));
  }
  absl::StrAppend(&words, ShortName(event.at()));
  if (!event.at().commit().empty()) {
    absl::StrAppend(&words, ", run ", base::Printable(event.at().run_id()));
  }
  absl::StrAppend(&words, "  (after ", ShortName(event.last_before()));
  if (NameOf(event.first_after()) != NameOf(event.at())) {
    absl::StrAppend(&words, ", at the latest with ", ShortName(event.first_after()));
  }
  if (event.commits() > 1) absl::StrAppend(&words, ": one of ", event.commits(), " commits");
  absl::StrAppend(&words, ")");
  if (!event.confirmed()) absl::StrAppend(&words, "  not confirmed yet: no run has followed");
  if (event.has_back_at()) absl::StrAppend(&words, "  back since ", ShortName(event.back_at()));
  return words;
}

std::string Followers(const v1::ChangeEvent& event) {
  const uint32_t functions = event.following_functions();
  if (functions == 0) return "";
  std::string words = absl::StrCat(
      functions, functions == 1 ? " other function" : " other functions", " changed here");
  if (event.other_causes() > 0) {
    absl::StrAppend(&words, ", ", event.other_causes(), " of them by ",
                    event.other_causes() == 1 ? "itself" : "themselves");
  }
  return absl::StrCat("      ", words, "\n");
}

std::string EventText(const v1::ChangeEvent& event) {
  const FunctionRow row = RowOfFinding(event.cause());
  const v1::Finding& cause = event.cause();
  const v1::Finding::Verdict verdict = RowVerdict(row);
  std::string out = absl::StrCat(
      Where(event), "\n  ",
      verdict == v1::Finding::REGRESSED  ? "+ "
      : verdict == v1::Finding::IMPROVED ? "- "
                                         : "  ",
      FunctionName(cause.function_display().empty() ? cause.function() : cause.function_display()));
  if (const std::string place = base::Printable(PlaceOf(row)); !place.empty()) {
    absl::StrAppend(&out, "  [", place, "]");
  }
  absl::StrAppend(&out, "\n      ", DescribeRow(row, FunctionName), "\n      ", DescribeEffect(row),
                  "\n", Followers(event));
  const auto introduced = [&out](absl::string_view commit, absl::string_view subject) {
    absl::StrAppend(&out, "      introduced in ", base::Printable(commit.substr(0, 12)), ": ",
                    base::Shortened(base::Printable(subject), 60));
  };
  if (event.has_culprit()) {
    const v1::Culprit& culprit = event.culprit();
    introduced(culprit.commit(), culprit.subject());
    absl::StrAppend(&out, " (", base::Printable(culprit.author()), ", ",
                    base::Printable(culprit.date()), ")\n");
  } else if (!event.at().subject().empty()) {
    introduced(event.at().commit(), event.at().subject());
    out += "\n";
  }
  if (!cause.target().empty() && cause.target() != "local") {
    absl::StrAppend(&out, "      in ", base::Printable(cause.target()));
    if (event.targets_size() > 1) absl::StrAppend(&out, " and ", event.targets_size() - 1, " more");
    out += "\n";
  }
  return out;
}

}  // namespace

std::string RenderChangesText(const v1::GetChangesResponse& changes) {
  const int64_t all = int64_t{changes.events_size()} + changes.older_events();
  std::string out = all == 0 ? "no change" : absl::StrCat(all, all == 1 ? " change" : " changes");
  absl::StrAppend(&out, " in ", changes.runs(), changes.runs() == 1 ? " run" : " runs");
  if (!changes.branch().empty()) absl::StrAppend(&out, " of ", base::Printable(changes.branch()));
  if (!changes.configuration().empty()) {
    absl::StrAppend(&out, ", configuration ", base::Printable(changes.configuration()));
  }
  out += all > 1 ? ", newest first\n" : "\n";
  for (const v1::ChangeEvent& event : changes.events()) {
    absl::StrAppend(&out, "\n", EventText(event));
  }
  if (changes.older_events() > 0) {
    absl::StrAppend(&out, "\n", changes.older_events(),
                    changes.older_events() == 1 ? " older change" : " older changes", ": --limit ",
                    all, " lists everything\n");
  }
  for (const std::string& warning : changes.warnings()) {
    absl::StrAppend(&out, "\nwarning: ", base::Printable(warning), "\n");
  }
  return out;
}

}  // namespace gprofhub::reporter
