#include "reporter/history/trend.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/utf8.h"
#include "profile/names/demangle.h"
#include "reporter/history/change_points.h"
#include "reporter/history/count_steps.h"
#include "reporter/history/scatter.h"
#include "reporter/history/time_steps.h"

namespace gprofhub::reporter {
namespace {

struct MarkedPoint {
  int index = 0;  // of the response's points
  bool repeats = true;
};

// Marks where the points of one branch and configuration have a new level.
void MarkChanges(const std::vector<MarkedPoint>& line, v1::GetTrendResponse& response) {
  std::vector<CountPoint> counts;
  std::vector<TimePoint> times;
  for (size_t i = 0; i < line.size(); ++i) {
    const v1::TrendPoint& point = response.points(line[i].index);
    counts.push_back({i, point.calls(), line[i].repeats});
    // The times of several targets have the error of as many samples of one target.
    const double variance = point.self_error_seconds() * point.self_error_seconds();
    const double seconds = point.self_seconds();
    if (variance > 0) {
      times.push_back({i, seconds * seconds / variance,
                       seconds > 0 ? seconds / variance : 1 / point.self_error_seconds()});
    }
  }
  const ChangePointOptions options;
  const auto mark = [](const ChangePoint& change) {
    return change.confirmed ? v1::CHANGED : v1::CHANGED_UNCONFIRMED;
  };
  for (const ChangePoint& change :
       IsExact(counts) ? FindCountSteps(counts) : FindVaryingCountSteps(counts, options)) {
    response.mutable_points(line[change.at].index)->set_calls_change(mark(change));
  }
  const std::vector<std::vector<TimePoint>> series = {std::move(times)};
  for (const ChangePoint& change : FindTimeSteps(series[0], EstimateScatter(series)[0], options)) {
    response.mutable_points(line[change.at].index)->set_self_change(mark(change));
  }
}

}  // namespace

v1::GetTrendResponse BuildTrend(const SeriesIdentity& identity,
                                const std::vector<store::RunRecord>& runs,
                                const SegmentsByRun& segments) {
  v1::GetTrendResponse response;
  response.set_function(base::ToUtf8(identity.function));
  response.set_function_display(base::ToUtf8(profile::Demangle(identity.function)));
  response.set_dimension("seconds");
  std::map<std::pair<std::string, std::string>, std::vector<MarkedPoint>> lines;
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    const auto found = segments.find(run->id);
    if (found == segments.end()) continue;
    v1::TrendPoint& point = *response.add_points();
    point.set_run_id(absl::StrCat(run->id));
    point.set_commit(run->commit);
    point.set_branch(run->branch);
    point.set_unix_ms(absl::ToUnixMillis(run->ordered));
    double variance = 0;
    bool repeats = true;
    for (const profile::SeriesSegment& segment : found->second) {
      const double repetitions = segment.repetitions == 0 ? 1 : segment.repetitions;
      const double scale = segment.sample_rate * repetitions;
      for (const profile::SeriesPoint& entry : segment.points) {
        if (!identity.hashes.contains(entry.function_hash)) continue;
        repeats = repeats && entry.calls % std::max<uint32_t>(1, segment.repetitions) == 0;
        point.set_calls(point.calls() + static_cast<double>(entry.calls) / repetitions);
        if (scale <= 0) continue;
        point.set_self_seconds(point.self_seconds() + entry.self_samples / scale);
        point.set_total_seconds(point.total_seconds() + entry.total_samples / scale);
        // Without a sample there might well have been one.
        variance += std::max(1.0, entry.self_samples) / (scale * scale);
      }
    }
    point.set_self_error_seconds(std::sqrt(variance));
    // Marks belong to one line of history. No pull request's run stands between.
    if (run->pull_request.empty() && !run->from_fork) {
      lines[{run->branch, run->configuration}].push_back({response.points_size() - 1, repeats});
    }
  }
  for (const auto& [line, measured] : lines) MarkChanges(measured, response);
  return response;
}

}  // namespace gprofhub::reporter
