// Findings that summarise many functions: another toolchain, a rewritten component. The findings of
// these functions are folded under them.
#pragma once

#include <vector>

#include "absl/types/span.h"
#include "profile/computed.h"
#include "proto/findings.pb.h"
#include "reporter/counts/judge_calls.h"
#include "reporter/matching/matched_target.h"
#include "reporter/matching/rewrites.h"
#include "reporter/times/target_times.h"

namespace gprofhub::reporter {

// The groups of one target, and the verdicts on their times.
struct TargetGroups {
  bool has_times = false;  // both sides were sampled, in one dimension
  TimeTest whole;          // the target's time; set if its toolchain changed
  std::vector<Rewrite> rewrites;
  std::vector<TimeTest> rewrite_times;  // of each rewrite
};

// `older` are the runs of older commits that `target` was matched with. If the toolchain changed,
// functions come and go by inlining, so rewrites are not searched for.
TargetGroups FindGroups(const MatchedTarget& target,
                        absl::Span<const profile::ComputedProfile> before,
                        absl::Span<const profile::ComputedProfile> older,
                        absl::Span<const profile::ComputedProfile> after, bool has_times,
                        const TimeOptions& options);

// Whether there is a group under which findings of the target are folded.
bool HasGroups(const MatchedTarget& target, const TargetGroups& groups);

// Adds the groups' findings, without target and display names, to those of the target, and folds
// the findings that they explain.
void FoldGroups(const MatchedTarget& target, const TargetGroups& groups, const TargetTotals& totals,
                const TimeOptions& options, std::vector<v1::Finding>& findings);

}  // namespace gprofhub::reporter
