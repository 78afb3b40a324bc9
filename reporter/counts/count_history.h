// Which counts are known, from runs of older commits, not to repeat: a single run on each
// side cannot tell a count that varies by chance from one that changed.
#pragma once

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "profile/computed.h"
#include "reporter/matching/matched_target.h"

namespace gprofhub::reporter {

// A run of the base or of an older commit.
struct CountedRun {
  absl::string_view commit;
  absl::string_view binary;  // digest of the test's binary; empty: not known
  const profile::ComputedProfile* profile = nullptr;
};

// One count in one run.
struct CountInRun {
  absl::string_view commit;
  absl::string_view binary;
  double each = 0;      // per execution
  bool repeats = true;  // its executions agree, as far as their sum tells
};

// Whether the count does not repeat; the rules stand in count_history.cc. In the order of
// the commits.
bool Varies(absl::Span<const CountInRun> runs);

// Whether the runs show that the count repeats: more often than not it is that of the run before.
// A count of 0 shows nothing. In the order of the commits.
bool Repeats(absl::Span<const CountInRun> runs);

// Sets Count::repeats, by_run and repeated_in_history of the base's counts, and
// Count::repeated_before of the head's, of functions and arcs whose counts differ between
// the sides or within one. `runs`: the base's, then the older ones, nearest first.
void ApplyCountHistory(absl::Span<const CountedRun> runs, MatchedTarget& target);

}  // namespace gprofhub::reporter
