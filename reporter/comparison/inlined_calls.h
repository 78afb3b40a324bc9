// Calls that the compiler inlined on one side only.
#pragma once

#include "reporter/comparison/pair_call_sites.h"

namespace gprofhub::reporter {

// Restores the counts of functions that one side inlines into a caller and the other side calls:
// afterwards both sides count as if neither inlined them, and a change of the work in the group is
// on the arc where it began. Restored counts have Count::restored set. A function whose counts do
// not repeat, or cannot be divided exactly, stays as it is. What was inlined is read from the debug
// information (FunctionSide::inlined). The essay is in inlined_calls.cc.
void RestoreInlinedCalls(MatchedTarget& target);

}  // namespace gprofhub::reporter
