// Detects counts that do not repeat, from runs of older commits: with a single run on each side, a
// count that varies by chance looks like a change.
#pragma once

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "profile/computed.h"
#include "reporter/matching/matched_target.h"

namespace gprofhub::reporter {

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
