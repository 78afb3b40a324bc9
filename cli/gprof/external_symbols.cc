#include "cli/gprof/external_symbols.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"

namespace gprofhub::cli {

void UseExternalSymbols(absl::string_view text, profile::SymbolTable& symbols) {
  std::vector<profile::FunctionSymbol> functions;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    const std::vector<absl::string_view> words =
        absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty());
    if (words.size() < 3 || words[1].size() != 1) continue;
    if (words[1] != "T" && words[1] != "t") continue;
    uint64_t address = 0;
    if (!absl::SimpleHexAtoi(words[0], &address)) continue;
    profile::FunctionSymbol function;
    function.address = address;
    function.name = std::string(words[2]);
    function.is_local = words[1] == "t";
    function.is_function = true;
    function.table_index = static_cast<uint32_t>(functions.size());
    functions.push_back(std::move(function));
  }
  std::stable_sort(functions.begin(), functions.end(),
                   [](const profile::FunctionSymbol& a, const profile::FunctionSymbol& b) {
                     return a.address < b.address;
                   });
  symbols.functions = std::move(functions);
  symbols.has_chosen_functions = true;
  symbols.weak_labels.clear();
  symbols.lines.clear();
}

}  // namespace gprofhub::cli
