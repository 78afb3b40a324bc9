// Source range of a function, as far as the profile has it.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "page/diff/source_diff.h"
#include "profile/computed.h"

namespace gprofhub::page {

struct FunctionLines {
  std::string file;  // as debug information names it, without "./"
  // From its entry to the line before the next function of the file that the profile knows. The
  // range is too long if functions in between never ran.
  LineSpan lines;
};

// Nothing if the profile lacks the function with this linkage name, or its source location.
std::optional<FunctionLines> FunctionLinesOf(const profile::ComputedProfile& profile,
                                             absl::string_view function);

}  // namespace gprofhub::page
