#include "analyzer/ordering/symbol_file.h"

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace gprofhub {

std::string FormatSymbolFile(const ComputedProfile& profile, absl::Span<const uint32_t> order) {
  std::string lines;
  absl::flat_hash_set<absl::string_view> seen;
  for (const uint32_t row : order) {
    const std::string& name = profile.strings[profile.functions[row].name];
    // '#' starts a comment.
    if (name.empty() || name.front() == '#' || name.find_first_of("\r\n") != std::string::npos) {
      continue;
    }
    if (seen.insert(name).second) absl::StrAppend(&lines, name, "\n");
  }
  return absl::StrCat("# gprofhub function ordering: ", seen.size(),
                      " functions; link with lld --symbol-ordering-file, after compiling with "
                      "-ffunction-sections\n",
                      lines);
}

}  // namespace gprofhub
