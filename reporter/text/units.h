// The units of counts: most are calls, but quantities are bytes, times or events
// (profile/names/quantities.h).
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "profile/names/quantities.h"

namespace gprofhub::reporter {

// Column title of such counts: "calls", "bytes", "time", "events".
absl::string_view ColumnOfCounts(profile::CountUnit unit);

// The value in such a column: "9,303", or, for a time, "750 ms".
std::string CountInColumn(double count, profile::CountUnit unit);

// "9,303 calls", "1 byte", "750 ms".
std::string CountInUnit(double count, profile::CountUnit unit);

}  // namespace gprofhub::reporter
