// A report in one sentence, and the rest of it in another.
#pragma once

#include <string>
#include <vector>

#include "proto/findings.pb.h"
#include "reporter/rendering/function_rows.h"

namespace gprofhub::reporter {

// One sentence on what matters, without names: "2 changes cost CPU, the largest
// about 9.1% of a test's; 1 change saves about 2.0% of a test's CPU; in all, a test's CPU
// time grew by 6.8%". A change is a cause, whatever follows from it. A test's
// time in all is there where it changed beyond doubt.
std::string Headline(const v1::Report& report);

// How many rows of each kind there are, those that are not shown: "2 further changes that cost
// more, 4 small changes, cannot tell about the time of 37 functions". Empty if there are none.
std::string OtherRows(const std::vector<const FunctionRow*>& rows);

}  // namespace gprofhub::reporter
