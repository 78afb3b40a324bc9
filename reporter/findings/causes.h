// Groups findings by common cause.
#pragma once

#include <cstddef>
#include <vector>

#include "proto/findings.pb.h"

namespace gprofhub::reporter {

// For each finding, in order: the index of the first finding with the same cause. A finding that is
// neither worse nor better is a group of its own.
std::vector<size_t> CausesOf(const v1::Report& report);

}  // namespace gprofhub::reporter
