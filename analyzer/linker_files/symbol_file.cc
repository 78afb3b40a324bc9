#include "analyzer/linker_files/symbol_file.h"

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "analyzer/linker_files/clones.h"

namespace gprofhub::analyzer {

bool CanBePlaced(absl::string_view name) {
  // The sections .init and .fini are fixed; samples in the stubs behind _init are attributed to
  // _init.
  if (name == "_init" || name == "_fini") return false;
  return !name.empty() && name.front() != '#' && name.front() != '[' &&
         name.find_first_of("\r\n\t \"'*?[]{};\\") == absl::string_view::npos;
}

std::vector<std::string> NamesInOrder(const OrderingGraph& graph,
                                      absl::Span<const uint32_t> order) {
  std::vector<std::string> names;
  absl::flat_hash_set<absl::string_view> seen;
  for (const uint32_t row : order) {
    const std::string& name = graph.functions[row].name;
    if (CanBePlaced(name) && seen.insert(name).second) names.push_back(name);
  }
  return WithClones(names, {});
}

std::string FormatSymbolFile(absl::Span<const std::string> names) {
  std::string text = absl::StrCat(kSymbolFileHeader, ": ", names.size(),
                                  " functions; link with lld --symbol-ordering-file, after "
                                  "compiling with -ffunction-sections\n");
  for (const std::string& name : names) absl::StrAppend(&text, name, "\n");
  return text;
}

std::string FormatCallGraphFile(const OrderingGraph& graph) {
  std::string text;
  for (const OrderingCalls& calls : CallsByPair(graph)) {
    const std::string& from = graph.functions[calls.caller].name;
    const std::string& to = graph.functions[calls.callee].name;
    if (CanBePlaced(from) && CanBePlaced(to)) {
      absl::StrAppend(&text, from, " ", to, " ", calls.count, "\n");
    }
  }
  return text;
}

std::vector<std::string> ParseSymbolFile(absl::string_view text) {
  std::vector<std::string> names;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    const absl::string_view name = absl::StripAsciiWhitespace(line);
    if (!name.empty() && name.front() != '#') names.emplace_back(name);
  }
  return names;
}

}  // namespace gprofhub::analyzer
