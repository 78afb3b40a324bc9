// How often the gate was wrong, as people said.
#pragma once

#include <string>
#include <vector>

#include "store/records/records.h"

namespace gprofhub::reporter {

struct RuleStats {
  std::string rule;
  // Distinct (pull request, target, function).
  size_t gated = 0;
  size_t acknowledged = 0;      // accepted: real, and wanted or put up with
  size_t not_a_regression = 0;  // false alarms

  // not_a_regression of all gated, 0 to 1; 0 where nothing was gated. A lower
  // bound: nobody has to say that an alarm was false.
  double false_alarm_rate() const {
    return gated == 0 ? 0 : static_cast<double>(not_a_regression) / static_cast<double>(gated);
  }
};

// By rule, in the order of their names. An acknowledgement counts for what it
// covers whether or not it has expired; "not a regression" wins over the other.
std::vector<RuleStats> MeasureRules(
    const std::vector<store::GatedRecord>& gated,
    const std::vector<store::AcknowledgementRecord>& acknowledgements);

}  // namespace gprofhub::reporter
