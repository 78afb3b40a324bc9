// From a finding to the call paths that lead to it on both sides.
#pragma once

#include <vector>

#include "profile/computed.h"
#include "proto/findings.pb.h"
#include "proto/query.pb.h"

namespace gprofhub::reporter {

// How a side of a comparison reaches a finding's function.
//
// A profile has callers, callees and counts, but not whole stacks. So the path is the likeliest
// one, found backwards: the predecessor of a function is the caller with the most calls of it, up
// to the program's entry or to code without a known caller. A function is on a path at most once,
// so that recursion ends.

// The path to the finding's function in these runs, which are repetitions of one measurement. For a
// finding about an arc the last step is that arc; without the arc the path ends at the caller. If
// the runs lack the caller, it is the path to the function itself. Empty if they lack both.
// Compilers' clones count as the function.
std::vector<v1::Explanation::Step> PathTo(const std::vector<profile::ComputedProfile>& runs,
                                          const v1::Finding& finding);

// Profiles of the finding's target on the two sides.
struct ExplainedSides {
  std::vector<profile::ComputedProfile> base, head;
};

// `finding` is one of the report's.
v1::Explanation Explain(const v1::Report& report, const v1::Finding& finding,
                        const ExplainedSides& sides);

}  // namespace gprofhub::reporter
