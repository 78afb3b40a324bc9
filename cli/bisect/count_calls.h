// Counts the calls in question in a profile.
#pragma once

#include "cli/bisect/question.h"
#include "profile/computed.h"

namespace gprofhub::cli {

// Calls per execution. A function's clones count as the function; its calls to its own clones do
// not count. 0 if the function is not called, or does not exist.
double CountCalls(const profile::ComputedProfile& profile, const Question& question);

}  // namespace gprofhub::cli
