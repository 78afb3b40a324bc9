// Which findings tell of one and the same cause.
#pragma once

#include <cstddef>
#include <vector>

#include "proto/findings.pb.h"

namespace gprofhub::reporter {

// Of each finding, in their order: the index of the first finding that has the same cause. What did
// not change for the worse or the better is its own.
std::vector<size_t> CausesOf(const v1::Report& report);

}  // namespace gprofhub::reporter
