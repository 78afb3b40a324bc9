// How a side of a comparison reaches a finding's function.
//
// A profile knows who calls whom and how often, but no whole stacks. So the path is the likeliest
// one, found backwards: of a function's callers the one that calls it most is the one before it,
// up to the program's entry or to code that nobody in the profile calls. A function is on a path
// once, so that recursion ends.
#pragma once

#include <vector>

#include "profile/computed.h"
#include "proto/findings.pb.h"
#include "proto/query.pb.h"

namespace gprofhub::reporter {

// The path to the finding's function in these runs, which are repetitions of one measurement. A
// finding about an arc is reached by that arc: without it the path ends at the caller. Where the
// runs do not have the caller, it is the path to the function itself. Empty if they have neither.
// Compilers' clones are the function.
std::vector<v1::Explanation::Step> PathTo(const std::vector<profile::ComputedProfile>& runs,
                                          const v1::Finding& finding);

}  // namespace gprofhub::reporter
