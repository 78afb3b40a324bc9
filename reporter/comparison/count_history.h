// Detects counts that do not repeat, from runs of older commits: with a single run on each side, a
// count that varies by chance looks like a change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "profile/computed.h"
#include "reporter/comparison/pair_call_sites.h"

namespace gprofhub::reporter {

// Counts that vary from run to run: the typical count, and the spread of single runs about it.

// log(1 + count). Differences are ratios, and 0 has a value.
double LogCount(double count);
double FromLogCount(double log_count);

// Joint fit of two sides' runs. All in LogCount's scale.
struct VaryingCounts {
  double before = 0;   // typical
  double after = 0;    // typical
  double spread = 0;   // of a single run about the typical count
  double freedom = 0;  // degrees of freedom of the spread
  // Of (after - before).
  double standard_error = 0;
};

// Fits the runs of both sides; neither may be empty. `usual_spread`: of varying counts in the same
// target.
VaryingCounts FitVaryingCounts(absl::Span<const double> before, absl::Span<const double> after,
                               double usual_spread);

// Median absolute deviation of the runs of one count, both sides pooled; nothing if no side has two
// runs.
std::optional<double> MedianSpread(absl::Span<const double> before, absl::Span<const double> after);

// The spread to assume for a count with few runs: that of most varying counts of the target, or a
// default if there are few.
double UsualSpread(std::vector<double> spreads);

// Degrees of freedom of a test of the difference between two typical counts with these numbers of
// runs: heavy tails for few runs, light ones for many.
double FreedomOfTails(size_t runs_before, size_t runs_after);

// Tests whether a count changed: exactly, if it is known to repeat; otherwise from one run per
// side, or from the spread of the runs.

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
  // Of an exact count: the head's runs or executions repeat it, or older runs of the base do. One
  // more run of the head is not needed.
  bool confirmed = false;
  // 95% confidence interval of after / before - 1, in percent, if it varies.
  double low_percent = 0;
  double high_percent = 0;
};

// `usual_spread`: UsualSpread of the target's varying counts.
CountChange JudgeCount(const SideCount& before, const SideCount& after, double usual_spread);

// Spread of a varying count over its runs.
std::optional<double> SpreadOf(const SideCount& before, const SideCount& after);

// A run of the base or of an older commit.
struct CountedRun {
  absl::string_view commit;
  absl::string_view binary;  // digest of the test's binary; empty: unknown
  const profile::ComputedProfile* profile = nullptr;
};

// One count in one run.
struct CountInRun {
  absl::string_view commit;
  absl::string_view binary;
  double each = 0;      // per execution
  bool repeats = true;  // its executions agree, judging by their sum
};

// Whether the count does not repeat; count_history.cc has the rules. `runs` are in commit order.
bool Varies(absl::Span<const CountInRun> runs);

// Whether the runs show that the count repeats: most runs have the count of the run before. A count
// of 0 is not evidence. `runs` are in commit order.
bool Repeats(absl::Span<const CountInRun> runs);

// Sets Count::repeats, by_run and repeated_in_history of the base's counts, and
// Count::repeated_before of the head's, for functions and arcs whose counts differ between the
// sides or within one. `runs`: the base's, then the older ones, nearest first.
void ApplyCountHistory(absl::Span<const CountedRun> runs, MatchedTarget& target);

}  // namespace gprofhub::reporter
