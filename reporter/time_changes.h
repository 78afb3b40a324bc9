// Judges the sampled times of one target.
#pragma once

#include <vector>

#include "profile/computed.h"
#include "proto/findings.pb.h"
#include "reporter/call_changes.h"
#include "reporter/compare.h"
#include "reporter/match.h"

namespace gprofhub {

// Samples per second (or the dimension's unit) × repetitions: divides samples
// into time per execution.
struct TimeScale {
  double before = 0;
  double after = 0;
};

// How many judgements JudgeTimes will make: the Bonferroni correction needs
// them of all targets together.
size_t CountTimeJudgements(const MatchedTarget& target, const TargetTotals& totals,
                           const CompareOptions& options);

// One finding per function and metric that is worth judging: significant
// (REGRESSED, IMPROVED), EQUIVALENT or CANNOT_TELL. Without target and display
// names.
std::vector<v1::Finding> JudgeTimes(const MatchedTarget& target, const TargetTotals& totals,
                                    const TimeScale& scale, size_t judgements,
                                    const CompareOptions& options);

// The smallest effect, in percent, that would have stood out with as many
// samples as a finding's interval tells of.
double DetectablePercent(const v1::Finding& finding, const CompareOptions& options);

}  // namespace gprofhub
