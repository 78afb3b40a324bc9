// The order in which findings are shown: the rule stands in compare_sides.h.
#pragma once

#include <cstddef>
#include <vector>

#include "proto/findings.pb.h"

namespace gprofhub::reporter {

// Adds the findings, which are all of the report's, in rank order.
void RankFindings(std::vector<v1::Finding> findings, v1::Report& report);

// Keeps the first `limit` findings; says in warnings how many were left out.
void LimitFindings(v1::Report& report, size_t limit);

}  // namespace gprofhub::reporter
