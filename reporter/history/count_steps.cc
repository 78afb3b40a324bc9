// Exact counts. Each difference is real. The remaining question is whether it persisted.
//
// At a step the count differs from the level before, and the next release has the new count, too. A
// count that returns at once was an outlier. Releases between the levels may have neither count;
// then the step lies somewhere among them. A difference at the newest release is unconfirmed.
//
// Some series are not exact: a hash of addresses, a race, the clock. There are four signs of that:
// - executions of one release disagree;
// - the count changes at more than half of the releases;
// - more than a fifth of the releases are outliers;
// - a level is left and returned to twice.
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
  size_t last = 0;  // of the current level
  for (size_t i = 1; i < points.size();) {
    const double level = points[last].calls;
    // The first count that persists. It may be the old one.
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
