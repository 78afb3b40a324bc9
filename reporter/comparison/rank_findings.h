// Ranking of findings; compare_sides.h has the rule.
#pragma once

#include <cstddef>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "proto/findings.pb.h"

namespace gprofhub::reporter {

// A time finding of which only the rank is known so far: inconclusive (CANNOT_TELL) or EQUIVALENT.
struct QuietFinding {
  v1::Finding::Verdict verdict = v1::Finding::EQUIVALENT;
  v1::Finding::Metric metric = v1::Finding::SELF_TIME;
  double weight = 0;           // like Finding.weight
  absl::string_view target;    // label; outlives the ranking, as does `function`
  absl::string_view function;  // linkage name
  size_t source = 0;           // index for `describe`
};

// Adds the first `most` of both, in rank order, to the report, which has no other findings.
// Unchanged and inconclusive times among them are described. A warning states how many were left
// out.
void RankFindings(std::vector<v1::Finding> findings, const std::vector<QuietFinding>& quiet,
                  size_t most, absl::FunctionRef<v1::Finding(const QuietFinding&)> describe,
                  v1::Report& report);

}  // namespace gprofhub::reporter
