#include "analyzer/linker_files/clones.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "profile/names/clone_names.h"

namespace gprofhub::analyzer {
namespace {

absl::string_view FunctionOf(absl::string_view name) {
  return profile::WithoutCloneSuffixes(name, profile::CloneKinds::kCopies);
}

}  // namespace

std::vector<std::string> WithClones(absl::Span<const std::string> names,
                                    absl::Span<const std::string> in_binary) {
  absl::flat_hash_set<absl::string_view> known(names.begin(), names.end());
  std::vector<std::string> sorted(in_binary.begin(), in_binary.end());
  std::sort(sorted.begin(), sorted.end());
  absl::flat_hash_map<absl::string_view, std::vector<absl::string_view>> clones;
  for (const std::string& name : sorted) {
    const absl::string_view function = FunctionOf(name);
    if (function != name) clones[function].push_back(name);
  }
  std::vector<std::string> result;
  for (const std::string& name : names) {
    result.push_back(name);
    const absl::string_view function = FunctionOf(name);
    if (known.insert(function).second) result.emplace_back(function);
    const auto found = clones.find(function);
    if (found == clones.end()) continue;
    for (const absl::string_view clone : found->second) {
      if (known.insert(clone).second) result.emplace_back(clone);
    }
  }
  return result;
}

}  // namespace gprofhub::analyzer
