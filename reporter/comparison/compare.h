// Compares runs with their baseline: pure functions over values.
//
// What is judged, and by which rule:
// - Calls, of every function and on every arc, per execution of the target.
//   Counts that every execution repeats are exact: any difference is real. See
//   reporter/counts/judge_calls.cc.
// - Self and total time. Samples are counts with Poisson error, runs vary beyond
//   it. See time_model.cc and reporter/times/judge_times.cc.
// - What only moved. See cost_shifts.cc and renames.cc.
//
// Rank: first what began here and is material (calls and own times), then total
// times without a cause below, then what follows from or is explained by a finding
// above, then changes that are not material, then what only moved, then "cannot
// tell", then "equivalent". Within that the functions, by the share of the target's
// CPU that their change stands for (Finding.impact), a function's findings side by
// side: the arcs to blame first.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "profile/computed.h"
#include "proto/findings.pb.h"
#include "reporter/times/judge_times.h"

namespace gprofhub::reporter {

struct CompareOptions {
  TimeOptions time;
  // From this share of a target's CPU on a change is material.
  double minimum_impact = 0.005;
};

struct ProfileOrigin {
  std::string commit;
  std::string binary;   // digest of the test's binary; empty: not known
  std::string machine;  // its kind; empty: not known
};

// The runs of one side, as repetitions of one measurement.
struct ComparisonSide {
  v1::Compared::Side about;  // times, executions and runs are filled in by CompareRuns
  // By label; one profile per run, none without a run.
  std::map<std::string, std::vector<profile::ComputedProfile>> targets;
  // Of a base: runs of older commits, nearest first (reporter/matching/match_target.h).
  std::map<std::string, std::vector<profile::ComputedProfile>> window;
  // Where the target's profiles, then those of its window, come from. Without, history
  // says nothing of counts, and all machines pass for one kind. Times on another kind of
  // machine than the head's say nothing of it.
  std::map<std::string, std::vector<ProfileOrigin>> origins;
};

// All findings in rank order. Targets of one side only are named in `compared`
// and not judged. The caller fills in compared.baseline_reason, .configuration,
// .cached_targets and .unchanged_targets.
v1::Report CompareRuns(const ComparisonSide& base, const ComparisonSide& head,
                       const CompareOptions& options);

// Keeps the first `limit` findings; says in warnings how many were left out.
void LimitFindings(v1::Report& report, size_t limit);

}  // namespace gprofhub::reporter
