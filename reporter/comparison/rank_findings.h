// Ranking of findings; compare_sides.h has the rule.
#pragma once

#include <cstddef>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "profile/computed.h"
#include "proto/findings.pb.h"
#include "reporter/comparison/judge_calls.h"
#include "reporter/comparison/measure_times.h"
#include "reporter/comparison/pair_call_sites.h"
#include "reporter/comparison/rewrites.h"

namespace gprofhub::reporter {

// Findings that summarise many functions: another toolchain, a rewritten component. The findings of
// these functions are folded under them.

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

// A time finding of which only the rank is known so far: inconclusive (CANNOT_TELL) or EQUIVALENT.
struct QuietFinding {
  v1::Finding::Verdict verdict = v1::Finding::EQUIVALENT;
  v1::Finding::Metric metric = v1::Finding::SELF_TIME;
  double weight = 0;           // like Finding.weight
  absl::string_view target;    // label; outlives the ranking, as does `function`
  absl::string_view function;  // linkage name
  size_t source = 0;           // index for `describe`
};

// Adds the findings and the first `most_quiet` quiet ones, which are described, in rank order to
// the report, which has no other findings. A warning states how many quiet ones were left out.
void RankFindings(std::vector<v1::Finding> findings, const std::vector<QuietFinding>& quiet,
                  size_t most_quiet, absl::FunctionRef<v1::Finding(const QuietFinding&)> describe,
                  v1::Report& report);

}  // namespace gprofhub::reporter
