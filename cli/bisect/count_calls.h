// How often a profile saw the calls that a search is about.
#pragma once

#include "cli/bisect/question.h"
#include "profile/computed.h"

namespace gprofhub::cli {

// Calls per execution. A function's clones count as the function; its calls to its own clones do
// not count. 0 where the function is not called, or is not there.
double CountCalls(const profile::ComputedProfile& profile, const Question& question);

}  // namespace gprofhub::cli
