#include "reporter/history/trend.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/median.h"
#include "base/text.h"
#include "profile/codec/series.h"
#include "profile/demangle.h"
#include "profile/names.h"
#include "proto/query.pb.h"
#include "reporter/comparison/compare_sides.h"
#include "reporter/history/time_steps.h"

namespace gprofhub::reporter {

namespace {

// Finds and marks a trend's levels, for runs, days and weeks.

// Exact counts as they are, others as measurements. Points ascend by release.
inline std::vector<ChangePoint> FindLevelsOfCounts(absl::Span<const CountPoint> points,
                                                   const ChangePointOptions& options) {
  return IsExact(points) ? FindCountSteps(points) : FindVaryingCountSteps(points, options);
}

inline v1::ChangeMark MarkOf(const ChangePoint& change) {
  return change.confirmed ? v1::CHANGED : v1::CHANGED_UNCONFIRMED;
}

constexpr size_t kCandidatesListed = 10;

// Data of the functions with one linkage name.
struct Known {
  std::string linkage, display;  // printable; `display` is set by AddDisplays
  std::set<uint64_t> hashes;
  bool is_test = true;  // all of its files are test files
  double samples = 0;   // total
  uint64_t calls = 0;
};

using KnownByName = std::map<std::string, Known>;  // by linkage name

KnownByName KnownFunctions(const std::vector<profile::ComputedProfile>& profiles) {
  KnownByName functions;
  for (const profile::ComputedProfile& profile : profiles) {
    for (const profile::FunctionCost& function : profile.functions) {
      const absl::string_view name = profile.strings[function.name];
      const absl::string_view file = profile.strings[function.file];
      const auto [entry, inserted] = functions.try_emplace(std::string(name));
      Known& known = entry->second;
      if (inserted) {
        known.linkage = base::Printable(name);
      }
      known.hashes.insert(profile::FunctionHash(name, function.is_static ? file : ""));
      known.is_test = known.is_test && IsTestFile(file);
      known.samples += function.self_samples + function.child_samples;
      known.calls += function.calls;
    }
  }
  return functions;
}

// Demangling takes most of the time, and is not needed to resolve a linkage name.
void AddDisplays(KnownByName& functions) {
  for (auto& [name, known] : functions) known.display = base::Printable(profile::Demangle(name));
}

absl::string_view WithoutParameters(absl::string_view display) {
  // The operator's name may contain the parenthesis: operator()(int).
  size_t from = display.find("operator()");
  from = from == absl::string_view::npos ? 0 : from + 10;
  return display.substr(0, display.find('(', from));
}

// Whether the function's unqualified name is `text`.
bool IsCalled(const std::string& linkage, absl::string_view text) {
  std::string name = base::Printable(profile::DemangleWithoutParameters(linkage));
  if (absl::EndsWith(name, ">") && !absl::EndsWith(text, ">")) {
    // Skips template arguments: back to the opening bracket.
    size_t open = name.size(), depth = 0;
    do {
      --open;
      depth += name[open] == '>' ? 1 : 0;
      depth -= name[open] == '<' ? 1 : 0;
    } while (depth > 0 && open > 0);
    name.resize(open);
  }
  return name == text || absl::EndsWith(name, absl::StrCat("::", text));
}

absl::Status Ambiguous(absl::string_view text,
                       const std::vector<KnownByName::const_pointer>& candidates) {
  using Rank = std::tuple<bool, bool, double, int64_t>;
  std::vector<std::pair<Rank, absl::string_view>> ranked;
  for (const auto* candidate : candidates) {
    const auto& [linkage, known] = *candidate;
    ranked.push_back({{!IsCalled(linkage, text), known.is_test, -known.samples,
                       -static_cast<int64_t>(known.calls)},
                      known.display});
  }
  std::sort(ranked.begin(), ranked.end());
  std::string message = absl::StrCat(
      "function \"", text, "\" is ambiguous: ", candidates.size(),
      " fit. Give the whole name of one, a longer part of it, or a --target; the likeliest are\n");
  for (size_t i = 0; i < std::min(ranked.size(), kCandidatesListed); ++i) {
    absl::StrAppend(&message, "  ", profile::ShortName(ranked[i].second, 160), "\n");
  }
  if (ranked.size() > kCandidatesListed) {
    absl::StrAppend(&message, "  … and ", ranked.size() - kCandidatesListed, " more\n");
  }
  message.pop_back();
  return absl::InvalidArgumentError(message);
}

}  // namespace

absl::StatusOr<SeriesIdentity> ResolveFunction(
    const std::vector<profile::ComputedProfile>& profiles, absl::string_view text) {
  if (text.empty()) return absl::InvalidArgumentError("function: the name is empty");
  KnownByName functions = KnownFunctions(profiles);
  // Compared in the printable form, which people copy from reports.
  const std::string wanted = base::Printable(text);
  const std::vector<std::function<bool(const Known&)>> ways = {
      [&](const Known& known) { return known.linkage == wanted; },
      [&](const Known& known) { return known.display == wanted; },
      [&](const Known& known) { return WithoutParameters(known.display) == wanted; },
      [&](const Known& known) {
        return absl::StrContains(known.display, wanted) || absl::StrContains(known.linkage, wanted);
      },
  };
  for (const auto& fits : ways) {
    if (&fits == &ways[1]) AddDisplays(functions);
    std::vector<KnownByName::const_pointer> candidates;
    for (const auto& entry : functions) {
      if (fits(entry.second)) candidates.push_back(&entry);
    }
    if (candidates.size() > 1) {
      AddDisplays(functions);
      return Ambiguous(wanted, candidates);
    }
    if (candidates.size() == 1) {
      return SeriesIdentity{candidates[0]->first, candidates[0]->second.hashes};
    }
  }
  return absl::NotFoundError(
      absl::StrCat("no function is called \"", wanted, "\" or has that in its name"));
}

void AddHashes(const profile::ComputedProfile& profile, SeriesIdentity& identity) {
  for (const profile::FunctionCost& function : profile.functions) {
    const absl::string_view name = profile.strings[function.name];
    if (name != identity.function) continue;
    identity.hashes.insert(
        profile::FunctionHash(name, function.is_static ? profile.strings[function.file] : ""));
  }
}

namespace {

struct MarkedPoint {
  int index = 0;   // in the response's points
  size_t run = 0;  // its index
  bool repeats = true;
};

// Marks new levels of the points of one line.
void MarkChanges(const std::vector<MarkedPoint>& line, const SameBinaries& same_binaries,
                 v1::GetTrendResponse& response) {
  const auto may_begin = [&](size_t at) {
    return same_binaries == nullptr || !same_binaries(line[at].run, line[at - 1].run);
  };
  std::vector<CountPoint> counts;
  std::vector<TimePoint> times;
  for (size_t i = 0; i < line.size(); ++i) {
    const v1::TrendPoint& point = response.points(line[i].index);
    counts.push_back({i, point.calls(), line[i].repeats});
    // Times of several targets have the error of the same number of samples of one target.
    const double variance = point.self_error_seconds() * point.self_error_seconds();
    const double seconds = point.self_seconds();
    if (variance > 0) {
      times.push_back({i, seconds * seconds / variance,
                       seconds > 0 ? seconds / variance : 1 / point.self_error_seconds()});
    }
  }
  const ChangePointOptions options;
  for (ChangePoint change : FindLevelsOfCounts(counts, options)) {
    if (!std::isinf(change.strength) && !MoveToPossible(may_begin, change)) continue;
    response.mutable_points(line[change.at].index)->set_calls_change(MarkOf(change));
  }
  const std::vector<std::vector<TimePoint>> series = {std::move(times)};
  for (ChangePoint change : FindTimeSteps(series[0], EstimateScatter(series)[0], options)) {
    if (!MoveToPossible(may_begin, change)) continue;
    response.mutable_points(line[change.at].index)->set_self_change(MarkOf(change));
  }
}

}  // namespace

void AddPoint(double sample_rate, uint32_t repetitions, const profile::SeriesPoint& point,
              FunctionAtRun& sum) {
  sum.present = true;
  const uint32_t times = std::max<uint32_t>(1, repetitions);
  const double scale = sample_rate * times;
  sum.repeats = sum.repeats && point.calls % times == 0;
  sum.calls += static_cast<double>(point.calls) / times;
  if (scale <= 0) return;
  sum.self_seconds += point.self_samples / scale;
  sum.total_seconds += point.total_samples / scale;
  // Zero samples have the variance of one sample.
  sum.self_variance += std::max(1.0, point.self_samples) / (scale * scale);
  sum.total_variance += std::max(1.0, point.total_samples) / (scale * scale);
}

void AddSums(const FunctionAtRun& other, FunctionAtRun& sum) {
  sum.analysed |= other.analysed;
  sum.present |= other.present;
  sum.calls += other.calls;
  sum.repeats &= other.repeats;
  sum.self_seconds += other.self_seconds;
  sum.total_seconds += other.total_seconds;
  sum.self_variance += other.self_variance;
  sum.total_variance += other.total_variance;
}

v1::GetTrendResponse TrendOf(const SeriesIdentity& identity) {
  v1::GetTrendResponse response;
  response.set_function(base::ToUtf8(identity.function));
  response.set_function_display(base::ToUtf8(profile::Demangle(identity.function)));
  response.set_dimension("seconds");
  return response;
}

v1::GetTrendResponse BuildTrend(const SeriesIdentity& identity,
                                const std::vector<store::RunHead>& runs,
                                const std::vector<FunctionAtRun>& sums, int64_t separate,
                                const SameBinaries& same_binaries) {
  v1::GetTrendResponse response = TrendOf(identity);
  response.mutable_points()->Reserve(static_cast<int>(runs.size()));
  std::vector<MarkedPoint> line;
  for (size_t i = runs.size(); i-- > 0;) {
    const FunctionAtRun& sum = sums[i];
    if (!sum.analysed) continue;
    const store::RunHead& run = runs[i];
    v1::TrendPoint& point = *response.add_points();
    point.set_run_id(absl::StrCat(run.id));
    point.set_commit(run.commit);
    point.set_branch(run.branch);
    point.set_unix_ms(absl::ToUnixMillis(run.ordered));
    point.set_calls(sum.calls);
    point.set_self_seconds(sum.self_seconds);
    point.set_total_seconds(sum.total_seconds);
    point.set_self_error_seconds(std::sqrt(sum.self_variance));
    point.set_total_error_seconds(std::sqrt(sum.total_variance));
    point.set_separate(run.id == separate);
    if (!point.separate()) line.push_back({response.points_size() - 1, i, sum.repeats});
  }
  MarkChanges(line, same_binaries, response);
  return response;
}

namespace {

constexpr int64_t kMillisecondsOfDay = 24 * 60 * 60 * 1000;

profile::Spread SpreadOf(const std::vector<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return {*least, base::Median(values), *most};
}

void SetSpread(const profile::Spread& spread, v1::TrendSpread& message) {
  message.set_least(spread.least);
  message.set_median(spread.median);
  message.set_most(spread.most);
}

// Spread over several days.
profile::Spread Merge(absl::Span<const HistoryDay> days, profile::Spread profile::DayPoint::*of) {
  profile::Spread merged = days.front().point.*of;
  std::vector<double> medians;
  for (const HistoryDay& day : days) {
    const profile::Spread& spread = day.point.*of;
    merged.least = std::min(merged.least, spread.least);
    merged.most = std::max(merged.most, spread.most);
    medians.push_back(spread.median);
  }
  merged.median = base::Median(medians);
  return merged;
}

v1::TrendPeriod PeriodOf(absl::Span<const HistoryDay> days, int64_t first_day) {
  v1::TrendPeriod period;
  period.set_unix_ms(first_day * kMillisecondsOfDay);
  uint32_t runs = 0;
  for (const HistoryDay& day : days) runs += day.summary.runs;
  period.set_runs(runs);
  period.set_last_run_id(absl::StrCat(days.back().summary.last_run_id));
  SetSpread(Merge(days, &profile::DayPoint::calls), *period.mutable_calls());
  SetSpread(Merge(days, &profile::DayPoint::self_seconds), *period.mutable_self_seconds());
  SetSpread(Merge(days, &profile::DayPoint::total_seconds), *period.mutable_total_seconds());
  return period;
}

}  // namespace

int64_t DayOf(absl::Time time) { return absl::ToUnixMillis(time) / kMillisecondsOfDay; }

// The first day of 1970 was a Thursday.
int64_t MondayOf(int64_t day) { return day - (day + 3) % 7; }

SpanDays DaysOf(const std::vector<store::RunHead>& heads, const std::vector<bool>& analysed,
                absl::Time start) {
  std::map<int64_t, std::vector<size_t>> by_day;
  for (size_t i = 0; i < heads.size(); ++i) {
    if (!analysed[i]) continue;
    by_day[std::max<int64_t>(0, DayOf(heads[i].ordered) - DayOf(start))].push_back(i);
  }
  SpanDays days;
  for (auto& [day, runs] : by_day) {
    days.days.push_back(
        {static_cast<uint32_t>(day), static_cast<uint32_t>(runs.size()), heads[runs.front()].id});
    days.runs.push_back(std::move(runs));
  }
  return days;
}

std::vector<profile::DayPoint> PointsOfDays(const SpanDays& days,
                                            const std::vector<FunctionAtRun>& sums) {
  std::vector<profile::DayPoint> points;
  points.reserve(days.runs.size());
  for (const std::vector<size_t>& runs : days.runs) {
    std::vector<double> calls, self, total;
    for (const size_t run : runs) {
      calls.push_back(sums[run].calls);
      self.push_back(sums[run].self_seconds);
      total.push_back(sums[run].total_seconds);
    }
    points.push_back({SpreadOf(calls), SpreadOf(self), SpreadOf(total)});
  }
  return points;
}

std::vector<v1::TrendPeriod> PeriodsOf(absl::Span<const HistoryDay> days, v1::TrendBy by) {
  std::vector<v1::TrendPeriod> periods;
  while (!days.empty()) {
    const auto period = [by](const HistoryDay& day) {
      return by == v1::BY_WEEK ? MondayOf(day.day) : day.day;
    };
    const int64_t first = period(days.front());
    size_t count = 1;
    while (count < days.size() && period(days[count]) == first) ++count;
    periods.push_back(PeriodOf(days.first(count), first));
    days.remove_prefix(count);
  }
  return periods;
}

namespace {

// Medians of times become counts of a unit so small that rounding is negligible.
constexpr double kPerSecond = 1e9;

}  // namespace

void MarkLevels(v1::GetTrendResponse& trend) {
  std::vector<CountPoint> calls, self;
  for (int i = 0; i < trend.periods_size(); ++i) {
    const auto at = static_cast<size_t>(i);
    calls.push_back({at, trend.periods(i).calls().median()});
    // Without samples of the function its time has no level.
    const double seconds = trend.periods(i).self_seconds().median();
    if (seconds > 0) self.push_back({at, seconds * kPerSecond});
  }
  const ChangePointOptions options;
  for (const ChangePoint& change : FindLevelsOfCounts(calls, options)) {
    trend.mutable_periods(static_cast<int>(change.at))->set_calls_change(MarkOf(change));
  }
  for (const ChangePoint& change : FindVaryingCountSteps(self, options)) {
    trend.mutable_periods(static_cast<int>(change.at))->set_self_change(MarkOf(change));
  }
}

}  // namespace gprofhub::reporter
