// Compares runs with their baseline: pure functions over values.
//
// What is compared, and by which rule:
// - Calls, of every function and on every arc, per execution of the target. Counts that repeat are
//   exact: any difference is real. See reporter/counts/judge_count.cc and judge_calls.cc.
// - Self and total time. Samples are counts with Poisson error; runs vary beyond it. See
//   time_model.cc and time_findings.cc, in reporter/times/.
// - Moved cost. See cost_shifts.cc and renames.cc.
// - Changes explained by another toolchain, and rewritten components: one finding each, with the
//   others folded under it. See toolchain_changes.cc and rewrites.cc in reporter/matching/.
//
// Rank: material changes that began here (calls and self times), total times without a cause below,
// side effects and changes explained by a finding above, changes that are not material, moved cost,
// inconclusive, equivalent. Within each class the functions are sorted: costs before savings, then
// by the change's share of the target's CPU (Finding.impact). A function's findings stay together,
// the arcs to blame first.
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
  // A change with at least this share of a target's CPU is material.
  double minimum_impact = kLeastCpuShare;
  // Maximum number of listed findings. A warning states how many more there are.
  size_t most_findings = std::numeric_limits<size_t>::max();
  // Whether unchanged and inconclusive times are findings, too.
  bool tell_quiet_times = true;
};

// Findings in rank order. Targets of one side only are listed in `compared` and not judged. The
// caller fills in compared.baseline_reason, .configuration, .cached_targets and .unchanged_targets.
v1::Report CompareSides(const ComparisonSide& base, const ComparisonSide& head,
                        const CompareOptions& options);

// Both sides of one target. `about` is not read.
struct SidesOfTarget {
  ComparisonSide base;
  ComparisonSide head;
  base::DecodingPart memory = {};  // held by the profiles
};

// Metadata of both sides, without their targets.
struct AboutSides {
  v1::Compared::Side base;
  v1::Compared::Side head;
};

// Like CompareSides, for targets that `read` supplies, in two threads. A target's profiles are
// released once they are matched, so memory grows with the functions of the targets and not with
// their runs. `labels` are those of either side. Returns the first error of `read`.
absl::StatusOr<v1::Report> CompareTargets(
    const std::vector<std::string>& labels, const AboutSides& about,
    const std::function<absl::StatusOr<SidesOfTarget>(const std::string& label)>& read,
    const CompareOptions& options);

}  // namespace gprofhub::reporter
