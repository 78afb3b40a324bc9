// The order in which findings are shown: the rule stands in compare_sides.h.
#pragma once

#include <cstddef>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "proto/findings.pb.h"

namespace gprofhub::reporter {

// A finding of which only its place is known yet: CANNOT_TELL or EQUIVALENT, of a time.
struct QuietFinding {
  v1::Finding::Verdict verdict = v1::Finding::EQUIVALENT;
  v1::Finding::Metric metric = v1::Finding::SELF_TIME;
  double weight = 0;           // as Finding.weight
  absl::string_view target;    // text, as is the next; both outlive the ranking
  absl::string_view function;  // linkage name
  size_t source = 0;           // which one it is, for `describe`
};

// Adds the first `most` of both to the report, in rank order: they are all of the report's. Quiet
// ones among them are described. Says in warnings how many were left out.
void RankFindings(std::vector<v1::Finding> findings, const std::vector<QuietFinding>& quiet,
                  size_t most, absl::FunctionRef<v1::Finding(const QuietFinding&)> describe,
                  v1::Report& report);

}  // namespace gprofhub::reporter
