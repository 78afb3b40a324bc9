#include "reporter/history/trend.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/utf8.h"
#include "profile/names/demangle.h"
#include "reporter/history/change_points.h"
#include "reporter/history/marked_levels.h"
#include "reporter/history/scatter.h"
#include "reporter/history/time_steps.h"

namespace gprofhub::reporter {
namespace {

struct MarkedPoint {
  int index = 0;  // in the response's points
  bool repeats = true;
};

// Marks new levels of the points of one branch and configuration.
void MarkChanges(const std::vector<MarkedPoint>& line, v1::GetTrendResponse& response) {
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
  for (const ChangePoint& change : FindLevelsOfCounts(counts, options)) {
    response.mutable_points(line[change.at].index)->set_calls_change(MarkOf(change));
  }
  const std::vector<std::vector<TimePoint>> series = {std::move(times)};
  for (const ChangePoint& change : FindTimeSteps(series[0], EstimateScatter(series)[0], options)) {
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

v1::GetTrendResponse TrendOf(const SeriesIdentity& identity) {
  v1::GetTrendResponse response;
  response.set_function(base::ToUtf8(identity.function));
  response.set_function_display(base::ToUtf8(profile::Demangle(identity.function)));
  response.set_dimension("seconds");
  return response;
}

v1::GetTrendResponse BuildTrend(const SeriesIdentity& identity,
                                const std::vector<store::RunHead>& runs,
                                const std::vector<FunctionAtRun>& sums) {
  v1::GetTrendResponse response = TrendOf(identity);
  response.mutable_points()->Reserve(static_cast<int>(runs.size()));
  std::map<std::pair<absl::string_view, absl::string_view>, std::vector<MarkedPoint>> lines;
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
    // Marks belong to one line of history, without the runs of pull requests.
    if (run.is_mainline) {
      lines[{run.branch, run.configuration}].push_back({response.points_size() - 1, sum.repeats});
    }
  }
  for (const auto& [line, measured] : lines) MarkChanges(measured, response);
  return response;
}

}  // namespace gprofhub::reporter
