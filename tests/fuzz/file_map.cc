// gprof's map files. For every input, the result is a status that names the file, or an order that
// has each of its files once.

#include <cstdlib>
#include <set>

#include "absl/strings/match.h"
#include "analyzer/ordering/linker_files.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  const auto map = gprofhub::analyzer::ParseFileMap(text, "fuzz.map");
  if (!map.ok()) {
    if (!absl::StrContains(map.status().message(), "fuzz.map")) std::abort();
    return 0;
  }
  std::set<std::string> files;
  std::vector<gprofhub::profile::FunctionSymbol> symbols;
  for (const gprofhub::analyzer::MappedFunction& entry : *map) {
    files.insert(entry.file);
    symbols.emplace_back();
    symbols.back().name = entry.function;
  }
  const auto merged = gprofhub::analyzer::MergeIntoFiles(*map, symbols);
  std::vector<absl::string_view> rows;
  for (const gprofhub::profile::FunctionSymbol& symbol : merged) rows.push_back(symbol.name);
  const std::vector<std::string> order = gprofhub::analyzer::OrderFiles(*map, rows);
  if (order.size() != files.size()) std::abort();
  if (std::set<std::string>(order.begin(), order.end()) != files) std::abort();
  return 0;
}
