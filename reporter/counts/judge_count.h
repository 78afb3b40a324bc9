// Whether a count changed: exactly, where it was seen to repeat; else by one run a side, or by what
// the runs vary.
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
  // Whether runs have several executions, which agree in all counts of the target.
  bool steady = false;

  double PerExecution() const {
    return static_cast<double>(count->sum) / static_cast<double>(repetitions);
  }
};

enum class CountAnswer { kSame, kChanged, kEquivalent, kCannotTell };

enum class CountCertainty {
  kExact,   // one side at least was seen to repeat it
  kOneRun,  // nothing shows that it repeats, and nothing that it does not
  kVaries,
};

struct CountChange {
  CountAnswer answer = CountAnswer::kSame;
  CountCertainty certainty = CountCertainty::kExact;
  // Per execution; where it varies, the typical count of the runs.
  double before = 0;
  double after = 0;
  // 95% interval of after / before - 1, in percent, where it varies.
  double low_percent = 0;
  double high_percent = 0;
};

// `usual_spread`: UsualSpread of the counts that vary in the target.
CountChange JudgeCount(const SideCount& before, const SideCount& after, double usual_spread);

// By how much a count that varies does so, as far as its runs tell.
std::optional<double> SpreadOf(const SideCount& before, const SideCount& after);

}  // namespace gprofhub::reporter
