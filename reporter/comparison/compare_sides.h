// Compares runs with their baseline: pure functions over values.
//
// What is judged, and by which rule:
// - Calls, of every function and on every arc, per execution of the target.
//   Counts that were seen to repeat are exact: any difference is real. See
//   reporter/counts/judge_count.cc and judge_calls.cc.
// - Self and total time. Samples are counts with Poisson error, runs vary beyond
//   it. See time_model.cc and time_findings.cc, in reporter/times/.
// - What only moved. See cost_shifts.cc and renames.cc.
// - What another toolchain explains, and components that were written anew: one finding each, with
//   the others folded under it. See toolchain_changes.cc and rewrites.cc in reporter/matching/.
//
// Rank: first what began here and is material (calls and own times), then total
// times without a cause below, then what follows from or is explained by a finding
// above, then changes that are not material, then what only moved, then "cannot
// tell", then "equivalent". Within that the functions: what costs before what saves, then by the
// share of the target's CPU that their change stands for (Finding.impact), a function's findings
// side by side: the arcs to blame first.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/decoding/decoding.h"
#include "proto/findings.pb.h"
#include "reporter/comparison/comparison_side.h"
#include "reporter/findings/findings.h"
#include "reporter/times/target_times.h"

namespace gprofhub::reporter {

struct CompareOptions {
  TimeOptions time;
  // From this share of a target's CPU on a change is material.
  double minimum_impact = kLeastCpuShare;
  // So many findings are listed. A warning says how many more there are.
  size_t most_findings = std::numeric_limits<size_t>::max();
  // Whether times that did not change, or that cannot be told, are findings, too.
  bool tell_quiet_times = true;
};

// Findings in rank order. Targets of one side only are named in `compared`
// and not judged. The caller fills in compared.baseline_reason, .configuration,
// .cached_targets and .unchanged_targets.
v1::Report CompareSides(const ComparisonSide& base, const ComparisonSide& head,
                        const CompareOptions& options);

// Both sides of one target. `about` is not read.
struct SidesOfTarget {
  ComparisonSide base;
  ComparisonSide head;
  base::DecodingPart memory = {};  // that the profiles take
};

// What is known of both sides, but for their targets.
struct AboutSides {
  v1::Compared::Side base;
  v1::Compared::Side head;
};

// The same of targets that `read` gives, in two threads: a target's profiles are let go of once
// they are matched, so memory grows with the functions of the targets and not with their runs.
// `labels` are those of either side. An error of `read` is the result.
absl::StatusOr<v1::Report> CompareTargets(
    const std::vector<std::string>& labels, const AboutSides& about,
    const std::function<absl::StatusOr<SidesOfTarget>(const std::string& label)>& read,
    const CompareOptions& options);

}  // namespace gprofhub::reporter
