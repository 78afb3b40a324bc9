// A symbol file from computed profiles, for the server and for local files.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "profile/computed.h"

namespace gprofhub {

// The profiles' sum: functions of one linkage name (and file, for static ones)
// become one, with the largest size; arcs between the same functions are added
// up. Call sites and images are dropped.
ComputedProfile SumForOrdering(const std::vector<ComputedProfile>& profiles);

// The functions of all profiles together, ordered by `algorithm`, as a symbol
// file for `lld --symbol-ordering-file`: "c3", "gprof" (as GNU gprof's
// --function-ordering), or "" for c3. InvalidArgument: another.
absl::StatusOr<std::string> SymbolFileOf(const std::vector<ComputedProfile>& profiles,
                                         absl::string_view algorithm);

}  // namespace gprofhub
