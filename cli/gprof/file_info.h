// --file-info: what records a profile has.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "profile/symbols.h"

namespace gprofhub {

// What GNU gprof prints of the profile `content`, which was read without error
// from `path` as a profile of the image that `symbols` are of.
std::string DescribeProfile(absl::string_view content, absl::string_view path,
                            const SymbolTable& symbols);

}  // namespace gprofhub
