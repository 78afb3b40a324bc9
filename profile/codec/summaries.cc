// The days are
//   version (1 byte: 1), days (varint: their number), then a packed column (packed_ints.h) each of:
//   the days, their runs, their last runs' ids.
// A function's points are
//   the unit of calls (1 byte: 0 for ones, 1 for 1/1024), then nine packed columns: for calls, self
//   time and total time (in nanoseconds) the min, the median minus the min, and the max minus the
//   median. Calls that repeat take a few bytes for all days.
#include "profile/codec/summaries.h"

#include <algorithm>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "profile/codec/symbol_rows.h"

namespace gprofhub::profile {

namespace {

constexpr char kVersion = 1;
constexpr double kUnitsPerCall = 1024;
constexpr double kUnitsPerSecond = 1e9;
// Three of them fit into 64 bits.
constexpr uint64_t kMostUnits = uint64_t{1} << 61;

absl::Status Damaged(absl::string_view what) {
  return absl::DataLossError(
      absl::StrCat("summaries of days: ", what,
                   ": the stored row is damaged; delete it, and the server computes it again"));
}

uint64_t ToUnits(double value, double per_one) {
  const double units = std::round(value * per_one);
  if (!(units > 0)) return 0;
  return units < static_cast<double>(kMostUnits) ? static_cast<uint64_t>(units) : kMostUnits;
}

void AppendSpreads(absl::Span<const DayPoint> points, Spread DayPoint::*of, double per_one,
                   std::string& bytes) {
  std::vector<uint64_t> least, median, most;
  for (const DayPoint& point : points) {
    const Spread& spread = point.*of;
    least.push_back(ToUnits(spread.least, per_one));
    const uint64_t middle = std::max(ToUnits(spread.median, per_one), least.back());
    median.push_back(middle - least.back());
    most.push_back(std::max(ToUnits(spread.most, per_one), middle) - middle);
  }
  for (const std::vector<uint64_t>* column : {&least, &median, &most}) {
    AppendPacked(*column, bytes);
  }
}

bool TakeSpreads(absl::string_view& bytes, Spread DayPoint::*of, double per_one,
                 std::vector<DayPoint>& points) {
  std::vector<uint64_t> least, median, most;
  for (std::vector<uint64_t>* column : {&least, &median, &most}) {
    if (!TakePacked(bytes, points.size(), *column)) return false;
  }
  for (size_t i = 0; i < points.size(); ++i) {
    if (std::max({least[i], median[i], most[i]}) > kMostUnits) return false;
    const uint64_t middle = least[i] + median[i];
    points[i].*of = {static_cast<double>(least[i]) / per_one, static_cast<double>(middle) / per_one,
                     static_cast<double>(middle + most[i]) / per_one};
  }
  return true;
}

bool IsWhole(const Spread& spread) {
  return spread.least == std::floor(spread.least) && spread.median == std::floor(spread.median) &&
         spread.most == std::floor(spread.most);
}

}  // namespace

std::string EncodeSummaryDays(absl::Span<const SummaryDay> days) {
  std::string bytes(1, kVersion);
  AppendVarint(days.size(), bytes);
  std::vector<uint64_t> numbers, runs, ids;
  for (const SummaryDay& day : days) {
    numbers.push_back(day.day);
    runs.push_back(day.runs);
    ids.push_back(static_cast<uint64_t>(day.last_run_id));
  }
  for (const std::vector<uint64_t>* column : {&numbers, &runs, &ids}) AppendPacked(*column, bytes);
  return bytes;
}

absl::StatusOr<std::vector<SummaryDay>> DecodeSummaryDays(absl::string_view bytes) {
  if (bytes.empty() || bytes.front() != kVersion) return Damaged("version");
  bytes.remove_prefix(1);
  uint64_t count = 0;
  if (!TakeVarint(bytes, count) || count > kMostSummaryDays) return Damaged("days");
  std::vector<uint64_t> numbers, runs, ids;
  if (!TakePacked(bytes, count, numbers)) return Damaged("days");
  if (!TakePacked(bytes, count, runs)) return Damaged("runs");
  if (!TakePacked(bytes, count, ids)) return Damaged("run ids");
  if (!bytes.empty()) return Damaged("bytes follow the last day");
  std::vector<SummaryDay> days;
  for (size_t i = 0; i < count; ++i) {
    const bool ascends = days.empty() || numbers[i] > days.back().day;
    if (!ascends || numbers[i] >= kMostSummaryDays) return Damaged("days");
    if (runs[i] == 0 || runs[i] > UINT32_MAX) return Damaged("runs");
    if (ids[i] > static_cast<uint64_t>(INT64_MAX)) return Damaged("run ids");
    days.push_back({static_cast<uint32_t>(numbers[i]), static_cast<uint32_t>(runs[i]),
                    static_cast<int64_t>(ids[i])});
  }
  return days;
}

std::string EncodeDayPoints(absl::Span<const DayPoint> points) {
  const bool is_whole = std::all_of(points.begin(), points.end(),
                                    [](const DayPoint& point) { return IsWhole(point.calls); });
  std::string bytes(1, is_whole ? '\0' : '\1');
  AppendSpreads(points, &DayPoint::calls, is_whole ? 1 : kUnitsPerCall, bytes);
  AppendSpreads(points, &DayPoint::self_seconds, kUnitsPerSecond, bytes);
  AppendSpreads(points, &DayPoint::total_seconds, kUnitsPerSecond, bytes);
  return bytes;
}

absl::StatusOr<std::vector<DayPoint>> DecodeDayPoints(absl::string_view bytes, size_t days) {
  if (bytes.empty() || static_cast<unsigned char>(bytes.front()) > 1) return Damaged("form");
  const double per_call = bytes.front() == 0 ? 1 : kUnitsPerCall;
  bytes.remove_prefix(1);
  std::vector<DayPoint> points(days);
  if (!TakeSpreads(bytes, &DayPoint::calls, per_call, points)) return Damaged("calls");
  if (!TakeSpreads(bytes, &DayPoint::self_seconds, kUnitsPerSecond, points)) {
    return Damaged("own time");
  }
  if (!TakeSpreads(bytes, &DayPoint::total_seconds, kUnitsPerSecond, points)) {
    return Damaged("total time");
  }
  if (!bytes.empty()) return Damaged("bytes follow the last column");
  return points;
}

}  // namespace gprofhub::profile
