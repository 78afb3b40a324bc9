// A function's time series and their change points, as values.
#pragma once

#include <cstddef>

namespace gprofhub::reporter {

// A function's calls at one release. A release is a commit with its runs. Releases are numbered
// from 0 in the order of their commits. A release at which the function was not measured has no
// point.
struct CountPoint {
  size_t release = 0;
  double calls = 0;     // per execution
  bool repeats = true;  // all executions of the release agree
};

// A function's samples at one release. `exposure` is samples per second × executions × slowdown of
// the release's machines. So samples / exposure is seconds per execution.
struct TimePoint {
  size_t release = 0;
  double samples = 0;
  double exposure = 0;
};

// A new level begins at release `at`. The cause lies in (last_before, first_after]. `last_before`
// is the last release that certainly has the old level, `first_after` the first that certainly has
// the new one.
struct ChangePoint {
  size_t last_before = 0;
  size_t at = 0;
  size_t first_after = 0;
  bool confirmed = true;  // the new level persisted; false only at the newest release
  double before = 0;      // the levels: calls or seconds per execution
  double after = 0;
  // Effect size: the change of the level, as a multiple of its standard error. Infinite if exact.
  double strength = 0;
};

struct ChangePointOptions {
  // Smaller changes of a sampled level are ignored.
  double minimum_effect_percent = 5;
  // Family-wise error rate: probability of any false change point in all `series` that are tested.
  double false_alarms = 0.01;
  size_t series = 1;
};

}  // namespace gprofhub::reporter
