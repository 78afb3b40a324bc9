#include "page/diff/function_lines.h"

#include <algorithm>
#include <limits>

#include "absl/strings/strip.h"
#include "page/graph/call_graph.h"

namespace gprofhub::page {

std::optional<FunctionLines> FunctionLinesOf(const profile::ComputedProfile& profile,
                                             absl::string_view function) {
  const std::optional<uint32_t> row = FindFunction(profile, function);
  if (!row.has_value()) return std::nullopt;
  const profile::FunctionCost& found = profile.functions[*row];
  if (found.file == 0 || found.line == 0) return std::nullopt;
  FunctionLines place;
  place.file = std::string(absl::StripPrefix(profile.strings[found.file], "./"));
  place.lines = {found.line, std::numeric_limits<uint32_t>::max()};
  for (const profile::FunctionCost& other : profile.functions) {
    if (other.file == found.file && other.line > found.line) {
      place.lines.last = std::min(place.lines.last, other.line - 1);
    }
  }
  return place;
}

}  // namespace gprofhub::page
