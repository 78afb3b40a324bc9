// A report in one sentence.
#pragma once

#include <string>

#include "proto/findings.pb.h"

namespace gprofhub::reporter {

// One sentence on the whole report, without names: "2 changes cost CPU, the largest
// about 9.1% of a test's; 1 change saves about 2.0% of a test's CPU; in all, a test's CPU
// time grew by 6.8%; 4 small changes". A change is a cause, whatever follows from it. A test's
// time in all is there where it changed beyond doubt.
std::string Headline(const v1::Report& report);

}  // namespace gprofhub::reporter
