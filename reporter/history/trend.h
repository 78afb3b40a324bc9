// One function's series over runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "profile/codec/series.h"
#include "profile/codec/summaries.h"
#include "profile/computed.h"
#include "proto/query.pb.h"
#include "store/records/summaries.h"

namespace gprofhub::reporter {

// Resolves a function by its name or a part of it.

// A function's name and the hashes that it is stored under: several if static functions of one name
// lie in several files.
struct SeriesIdentity {
  std::string function;  // linkage name
  std::set<uint64_t> hashes;
};

// The function that `text` matches among the profiles' functions: by linkage name, else by
// demangled name, else by demangled name without parameters, else the only name that contains
// `text`. Names and `text` are compared in Printable's form, so that a name can be copied from a
// report. NOT_FOUND, or INVALID_ARGUMENT if several match equally well, with their number, a way to
// narrow them down, and the likeliest candidates: first functions whose unqualified name is `text`,
// then those outside of test files, then by cost and calls.
absl::StatusOr<SeriesIdentity> ResolveFunction(
    const std::vector<profile::ComputedProfile>& profiles, absl::string_view text);

// Adds the function's hashes in `profile`.
void AddHashes(const profile::ComputedProfile& profile, SeriesIdentity& identity);

// A function in one run: the sum over its targets. Calls and seconds are per execution.
struct FunctionAtRun {
  bool analysed = false;
  bool present = false;  // the run has the function
  double calls = 0;
  bool repeats = true;  // each target's executions agree, judging by their sum
  double self_seconds = 0;
  double total_seconds = 0;
  double self_variance = 0;   // of self_seconds
  double total_variance = 0;  // upper bound of total_seconds' variance
};

// Adds a target's point. The first two arguments are those of its segment (profile/codec/series.h).
void AddPoint(double sample_rate, uint32_t repetitions, const profile::SeriesPoint& point,
              FunctionAtRun& sum);

// Adds the sums of other targets at the same run.
void AddSums(const FunctionAtRun& other, FunctionAtRun& sum);

// The function's trend, without points.
v1::GetTrendResponse TrendOf(const SeriesIdentity& identity);

// Whether two runs, by their indices, are known to have tested the same binaries. Null: no two are.
using SameBinaries = std::function<bool(size_t run, size_t before)>;

// The function's points in `runs`, which are of one line of history, but for the run with the id
// `separate` (0: none). Runs are sorted newest first, points oldest first. `sums` has one entry per
// run. Runs that are not analysed are omitted. A run without the function gets a point of zero.
// Changes are marked on the line. A new level of time begins only with other binaries.
v1::GetTrendResponse BuildTrend(const SeriesIdentity& identity,
                                const std::vector<store::RunHead>& runs,
                                const std::vector<FunctionAtRun>& sums, int64_t separate = 0,
                                const SameBinaries& same_binaries = nullptr);

// Summaries of a function's runs by day and week: min, median, max.

// The days of a span that have analysed runs, and the runs of each.
struct SpanDays {
  std::vector<profile::SummaryDay> days;
  std::vector<std::vector<size_t>> runs;  // by day: indices into `heads`
};

// `heads` are a span's runs, newest first; `start` is its beginning, UTC. Older runs count for the
// first day. `analysed` has one entry per run.
SpanDays DaysOf(const std::vector<store::RunHead>& heads, const std::vector<bool>& analysed,
                absl::Time start);

// A function's point for each of the days. `sums` has one entry per run of `heads`.
std::vector<profile::DayPoint> PointsOfDays(const SpanDays& days,
                                            const std::vector<FunctionAtRun>& sums);

// A day of a history.
struct HistoryDay {
  int64_t day = 0;  // since 1970
  profile::SummaryDay summary;
  profile::DayPoint point;
};

// The day of a time, since 1970, and the Monday of its week; UTC.
int64_t DayOf(absl::Time time);
int64_t MondayOf(int64_t day);

// One period for each day or week that has runs. `days` are sorted, oldest first. `by` must not be
// BY_RUN.
std::vector<v1::TrendPeriod> PeriodsOf(absl::Span<const HistoryDay> days, v1::TrendBy by);

// Change points of a trend by days or weeks.

// Marks the periods at which the medians have a new level, like runs (trend.h). Days and weeks have
// no stored sampling error: the scatter of their medians is estimated from differences of
// neighbours. A step within a period counts for the next one, if the period's median belongs to
// neither level.
void MarkLevels(v1::GetTrendResponse& trend);

}  // namespace gprofhub::reporter
