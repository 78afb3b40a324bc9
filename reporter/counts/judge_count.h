// Whether a count changed: exactly, where every execution repeats it; else by
// what the runs vary.
#pragma once

#include <cstddef>
#include <cstdint>

#include "reporter/matching/matched_target.h"

namespace gprofhub::reporter {

struct SideCount {
  const Count* count = nullptr;
  size_t runs = 0;
  uint64_t repetitions = 0;  // executions of all runs

  double PerExecution() const {
    return static_cast<double>(count->sum) / static_cast<double>(repetitions);
  }
};

enum class CountAnswer { kSame, kChanged, kEquivalent, kCannotTell };

struct CountChange {
  CountAnswer answer = CountAnswer::kSame;
  bool exact = true;
  // 95% interval of after / before - 1, in percent, where it is not exact.
  double low_percent = 0;
  double high_percent = 0;
};

CountChange JudgeCount(const SideCount& before, const SideCount& after);

}  // namespace gprofhub::reporter
