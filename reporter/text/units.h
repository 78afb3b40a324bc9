// The units of counts: most are calls, but quantities are bytes, times or events
// (profile/names/quantities.h).
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "profile/names/quantities.h"

namespace gprofhub::reporter {

// Whether it is shown as a time.
bool IsTime(profile::CountUnit unit);

// What a column of such counts is called: "calls", "bytes", "time", "events".
absl::string_view ColumnOfCounts(profile::CountUnit unit);

// "9,303 calls", "1 byte", "750 ms".
std::string CountInUnit(double count, profile::CountUnit unit);

}  // namespace gprofhub::reporter
