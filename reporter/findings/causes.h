// Which findings tell of one and the same cause.
#pragma once

#include <cstddef>
#include <vector>

#include "proto/findings.pb.h"

namespace gprofhub::reporter {

// Whether an arc's calls may have changed because its caller is called more often, or less: by at
// least half as large a ratio, the same way.
bool MayFollowCaller(const v1::Finding& arc);

// Of each finding, in their order: the index of the first finding that has the same cause. What did
// not change for the worse or the better is its own.
std::vector<size_t> CausesOf(const v1::Report& report);

}  // namespace gprofhub::reporter
