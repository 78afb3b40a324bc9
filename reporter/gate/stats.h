// False alarm rates of the gate, from acknowledgements.
#pragma once

#include <string>
#include <vector>

#include "store/records/records.h"

namespace gprofhub::reporter {

struct RuleStats {
  std::string rule;
  // Distinct (pull request, target, function).
  size_t gated = 0;
  size_t acknowledged = 0;      // accepted: real, intended or tolerated
  size_t not_a_regression = 0;  // false alarms

  // not_a_regression of all gated, 0 to 1; 0 if nothing was gated. A lower bound: false alarms need
  // not be reported.
  double false_alarm_rate() const {
    return gated == 0 ? 0 : static_cast<double>(not_a_regression) / static_cast<double>(gated);
  }
};

// By rule, in the order of their names. Expired acknowledgements count, too; "not a regression" has
// precedence over "accepted".
std::vector<RuleStats> MeasureRules(
    const std::vector<store::GatedRecord>& gated,
    const std::vector<store::AcknowledgementRecord>& acknowledgements);

}  // namespace gprofhub::reporter
