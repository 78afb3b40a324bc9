#include "analyzer/ordering/clones.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"

namespace gprofhub {
namespace {

constexpr absl::string_view kCloneWords[] = {"isra",     "constprop", "part",   "localalias",
                                             "lto_priv", "llvm",      "__uniq", "specialized"};

bool IsCloneWord(absl::string_view word) {
  return std::find(std::begin(kCloneWords), std::end(kCloneWords), word) != std::end(kCloneWords);
}

bool IsNumber(absl::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return absl::ascii_isdigit(static_cast<unsigned char>(c));
  });
}

}  // namespace

absl::string_view FunctionOfClone(absl::string_view name) {
  absl::string_view rest = name;
  while (true) {
    size_t dot = rest.rfind('.');
    if (dot == absl::string_view::npos || dot == 0) return rest;
    if (IsNumber(rest.substr(dot + 1))) {
      const size_t before = rest.substr(0, dot).rfind('.');
      if (before == absl::string_view::npos || before == 0 ||
          !IsCloneWord(rest.substr(before + 1, dot - before - 1))) {
        return rest;
      }
      dot = before;
    } else if (!IsCloneWord(rest.substr(dot + 1))) {
      return rest;
    }
    rest = rest.substr(0, dot);
  }
}

std::vector<std::string> WithClones(absl::Span<const std::string> names,
                                    absl::Span<const std::string> in_binary) {
  absl::flat_hash_set<absl::string_view> known(names.begin(), names.end());
  std::vector<std::string> sorted(in_binary.begin(), in_binary.end());
  std::sort(sorted.begin(), sorted.end());
  absl::flat_hash_map<absl::string_view, std::vector<absl::string_view>> clones;
  for (const std::string& name : sorted) {
    const absl::string_view function = FunctionOfClone(name);
    if (function != name) clones[function].push_back(name);
  }
  std::vector<std::string> result;
  for (const std::string& name : names) {
    result.push_back(name);
    const absl::string_view function = FunctionOfClone(name);
    if (known.insert(function).second) result.emplace_back(function);
    const auto found = clones.find(function);
    if (found == clones.end()) continue;
    for (const absl::string_view clone : found->second) {
      if (known.insert(clone).second) result.emplace_back(clone);
    }
  }
  return result;
}

}  // namespace gprofhub
