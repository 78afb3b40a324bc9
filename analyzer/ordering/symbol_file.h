// An ordering as the text that `lld --symbol-ordering-file` reads.
#pragma once

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "profile/computed.h"

namespace gprofhub {

// A comment header, then the linkage name of each row of `order`, one a line,
// each name once (lld places all symbols of one name where it stands first).
// Left out: _init and _fini, which no linker moves, and names with line breaks,
// which no compiler makes.
std::string FormatSymbolFile(const ComputedProfile& profile, absl::Span<const uint32_t> order);

}  // namespace gprofhub
