// A function's series and where they changed for good, as values.
#pragma once

#include <cstddef>

namespace gprofhub::reporter {

// A function's calls at one release. A release is a commit with its runs. Releases count from 0 in
// the order of their commits. One at which the function was not measured has no point.
struct CountPoint {
  size_t release = 0;
  double calls = 0;     // per execution
  bool repeats = true;  // every execution of the release had as many
};

// A function's samples at one release. `exposure` is samples per second × executions × how much
// slower the release's machines were. So samples / exposure is seconds per execution.
struct TimePoint {
  size_t release = 0;
  double samples = 0;
  double exposure = 0;
};

// A new level begins at release `at`. The cause lies in (last_before, first_after]. `last_before`
// is the last release that surely has the old level. `first_after` is the first that surely has the
// new one.
struct ChangePoint {
  size_t last_before = 0;
  size_t at = 0;
  size_t first_after = 0;
  bool confirmed = true;  // what followed stayed; false only at the newest release
  double before = 0;      // the levels: calls or seconds per execution
  double after = 0;
  // The change of the level, as a multiple of its expected error. Infinite where it is exact.
  double strength = 0;
};

struct ChangePointOptions {
  // A sampled level that changes by no more has not changed.
  double minimum_effect_percent = 5;
  // The chance of any false change point in all the `series` that are looked at.
  double false_alarms = 0.01;
  size_t series = 1;
};

}  // namespace gprofhub::reporter
