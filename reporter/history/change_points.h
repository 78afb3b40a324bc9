// Where a function's series changed for good: plain numbers in, change points out.
// The essay is in change_points.cc.
#pragma once

#include <cstddef>
#include <vector>

#include "absl/types/span.h"

namespace gprofhub::reporter {

// A function's calls at one release (a commit with its runs). Releases count from 0
// in the order of their commits; those at which the function was not measured have
// no point.
struct CountPoint {
  size_t release = 0;
  double calls = 0;     // per execution
  bool repeats = true;  // every execution of the release had as many
};

// A function's samples at one release; `exposure` is samples per second × executions
// × how much slower the release's machines were, so that samples / exposure is
// seconds per execution.
struct TimePoint {
  size_t release = 0;
  double samples = 0;
  double exposure = 0;
};

// A new level begins at release `at`. The cause lies in (last_before, first_after]:
// `last_before` is the last release that surely has the old level, `first_after` the
// first that surely has the new one.
struct ChangePoint {
  size_t last_before = 0;
  size_t at = 0;
  size_t first_after = 0;
  bool confirmed = true;  // what followed stayed; false only at the newest release
  double before = 0;      // the levels: calls or seconds per execution
  double after = 0;
  // By how many times its expected error the level changed; infinite where exact.
  double strength = 0;
};

// How much a series scatters, and how well that is known.
struct Scatter {
  double dispersion = 1;  // Var(samples) / mean
  double df = 1000;       // degrees of freedom of that estimate
};

struct ChangePointOptions {
  // A sampled level that changes by no more has not changed.
  double minimum_effect_percent = 5;
  // Chance of a single false change point in all `series` that are looked at.
  double false_alarms = 0.01;
  size_t series = 1;
};

// Whether the counts are a repeating program's, whose every difference is real: see
// the essay. Points ascend by release, here and below.
bool IsExact(absl::Span<const CountPoint> points);

// Of exact counts.
std::vector<ChangePoint> FindCountSteps(absl::Span<const CountPoint> points);

// The scatter of each series about its own levels, whatever steps it has; what is
// typical of all steadies what each alone shows. Never less than sampling's own.
std::vector<Scatter> EstimateScatter(absl::Span<const std::vector<TimePoint>> series);

// Of sampled times.
std::vector<ChangePoint> FindTimeSteps(absl::Span<const TimePoint> points, const Scatter& scatter,
                                       const ChangePointOptions& options);

// Of counts that vary from run to run, as measurements.
std::vector<ChangePoint> FindVaryingCountSteps(absl::Span<const CountPoint> points,
                                               const ChangePointOptions& options);

}  // namespace gprofhub::reporter
