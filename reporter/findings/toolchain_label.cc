#include "reporter/findings/toolchain_label.h"

#include <algorithm>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace gprofhub::reporter {
namespace {

// Longer lists of options are shortened.
constexpr size_t kShownOptions = 4;

absl::string_view CompilerOf(absl::string_view name) { return name.substr(0, name.find(" -")); }

std::vector<absl::string_view> OptionsOf(absl::string_view name) {
  return absl::StrSplit(name.substr(CompilerOf(name).size()), ' ', absl::SkipEmpty());
}

std::string Side(absl::string_view name, absl::string_view other) {
  const std::vector<absl::string_view> theirs = OptionsOf(other);
  const bool same_compiler = CompilerOf(name) == CompilerOf(other);
  std::string side(CompilerOf(name));
  size_t shown = 0, more = 0;
  for (const absl::string_view option : OptionsOf(name)) {
    const bool is_level = absl::StartsWith(option, "-O");
    const bool is_new =
        same_compiler && std::find(theirs.begin(), theirs.end(), option) == theirs.end();
    if (!is_level && !is_new) continue;
    if (shown++ < kShownOptions) {
      absl::StrAppend(&side, " ", option);
    } else {
      ++more;
    }
  }
  if (more > 0) absl::StrAppend(&side, " … ", more, " more");
  return side;
}

}  // namespace

std::string ToolchainLabel(absl::string_view before, absl::string_view after) {
  return absl::StrCat(Side(before, after), " → ", Side(after, before));
}

}  // namespace gprofhub::reporter
