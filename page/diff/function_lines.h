// Where a function's source lies, as far as a profile tells.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "page/diff/source_diff.h"
#include "profile/computed.h"

namespace gprofhub::page {

struct FunctionLines {
  std::string file;  // as debug information names it, without "./"
  // From its entry to the line before the next function of the file that the profile knows. That is
  // too much where functions between them never ran.
  LineSpan lines;
};

// Nothing where the profile does not have the function of this linkage name, or not its place.
std::optional<FunctionLines> FunctionLinesOf(const profile::ComputedProfile& profile,
                                             absl::string_view function);

}  // namespace gprofhub::page
