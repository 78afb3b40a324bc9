#include "reporter/history/period_levels.h"

#include <cstddef>
#include <vector>

#include "reporter/history/change_points.h"
#include "reporter/history/marked_levels.h"
#include "reporter/history/time_steps.h"

namespace gprofhub::reporter {
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
