// Exact counts. Each difference is real, and what is left to ask is whether it
// stayed. A step is where the count differs from the level before and the next
// release has the new count, too; a count that comes back at once was an odd run.
// Between the levels there may be releases with counts of neither: the step lies
// somewhere among them. At the newest release nothing has followed yet: a
// difference there is unconfirmed. A series is no exact one (a hash of addresses, a
// race, the clock) if executions of one release disagree, if it changes at more
// than half of the releases, if more than a fifth of them are odd, or if one value
// is left and come back to twice.
#include "reporter/history/count_steps.h"

#include <cstddef>
#include <limits>
#include <map>

namespace gprofhub::reporter {

bool IsExact(absl::Span<const CountPoint> points) {
  size_t changes = 0, odd = 0;
  std::vector<double> levels;
  for (size_t i = 0; i < points.size(); ++i) {
    if (!points[i].repeats) return false;
    if (i > 0 && points[i].calls != points[i - 1].calls) ++changes;
    const bool inner = i > 0 && i + 1 < points.size();
    if (inner && points[i - 1].calls == points[i + 1].calls &&
        points[i].calls != points[i - 1].calls) {
      ++odd;
    } else if (levels.empty() || levels.back() != points[i].calls) {
      levels.push_back(points[i].calls);
    }
  }
  if (changes > 1 && changes * 2 > points.size()) return false;
  if (odd > 1 && odd * 5 > points.size()) return false;
  std::map<double, int> stays;
  for (const double level : levels) {
    if (++stays[level] > 2) return false;
  }
  return true;
}

std::vector<ChangePoint> FindCountSteps(absl::Span<const CountPoint> points) {
  std::vector<ChangePoint> steps;
  size_t last = 0;  // of the level so far
  for (size_t i = 1; i < points.size();) {
    const double level = points[last].calls;
    // The first count that stays, be it the old one.
    size_t next = i;
    while (next + 1 < points.size() && points[next].calls != level &&
           points[next].calls != points[next + 1].calls) {
      ++next;
    }
    if (points[next].calls != level) {
      ChangePoint step;
      step.last_before = points[last].release;
      step.at = step.first_after = points[next].release;
      step.confirmed = next + 1 < points.size();
      step.before = level;
      step.after = points[next].calls;
      step.strength = std::numeric_limits<double>::infinity();
      steps.push_back(step);
    }
    last = next;
    i = next + 1;
  }
  return steps;
}

}  // namespace gprofhub::reporter
