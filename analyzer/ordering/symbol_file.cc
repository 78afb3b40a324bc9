#include "analyzer/ordering/symbol_file.h"

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace gprofhub {
namespace {

bool CanBePlaced(absl::string_view name) {
  // The sections .init and .fini are fixed; samples in the stubs behind _init
  // are taken for its own.
  if (name == "_init" || name == "_fini") return false;
  // '#' starts a comment, '[' the name of a module as a whole.
  return !name.empty() && name.front() != '#' && name.front() != '[' &&
         name.find_first_of("\r\n") == absl::string_view::npos;
}

}  // namespace

std::string FormatSymbolFile(const ComputedProfile& profile, absl::Span<const uint32_t> order) {
  std::string lines;
  absl::flat_hash_set<absl::string_view> seen;
  for (const uint32_t row : order) {
    const std::string& name = profile.strings[profile.functions[row].name];
    if (!CanBePlaced(name)) continue;
    if (seen.insert(name).second) absl::StrAppend(&lines, name, "\n");
  }
  return absl::StrCat("# gprofhub function ordering: ", seen.size(),
                      " functions; link with lld --symbol-ordering-file, after compiling with "
                      "-ffunction-sections\n",
                      lines);
}

}  // namespace gprofhub
