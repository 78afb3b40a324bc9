// Tests whether a count changed: exactly, if it is known to repeat; otherwise from one run per
// side, or from the spread of the runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "reporter/counts/varying_counts.h"
#include "reporter/matching/matched_target.h"

namespace gprofhub::reporter {

struct SideCount {
  const Count* count = nullptr;
  size_t runs = 0;
  uint64_t repetitions = 0;  // executions of all runs
  // Whether runs have several executions that agree in all counts of the target.
  bool steady = false;

  double PerExecution() const {
    return static_cast<double>(count->sum) / static_cast<double>(repetitions);
  }
};

enum class CountAnswer { kSame, kChanged, kEquivalent, kCannotTell };

enum class CountCertainty {
  kExact,   // at least one side is known to repeat it
  kOneRun,  // no evidence that it repeats or varies
  kVaries,
};

struct CountChange {
  CountAnswer answer = CountAnswer::kSame;
  CountCertainty certainty = CountCertainty::kExact;
  // Per execution; if it varies, the typical count of the runs.
  double before = 0;
  double after = 0;
  // 95% confidence interval of after / before - 1, in percent, if it varies.
  double low_percent = 0;
  double high_percent = 0;
};

// `usual_spread`: UsualSpread of the target's varying counts.
CountChange JudgeCount(const SideCount& before, const SideCount& after, double usual_spread);

// Spread of a varying count over its runs.
std::optional<double> SpreadOf(const SideCount& before, const SideCount& after);

}  // namespace gprofhub::reporter
