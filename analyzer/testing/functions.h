// Symbol tables for tests.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/graph/call_graph.h"
#include "profile/raw_profile.h"

namespace gprofhub::analyzer {

// The times that the arcs of a call graph propagate, for tests.

// nullopt if the arc does not exist.
inline std::optional<ArcTime> TimeBetween(const CallGraph& graph, uint32_t caller,
                                          uint32_t callee) {
  for (uint32_t arc = 0; arc < graph.arcs.size(); ++arc) {
    if (graph.arcs[arc].caller == caller && graph.arcs[arc].callee == callee) {
      return graph.TimeOf(arc);
    }
  }
  return std::nullopt;
}

// Functions of 256 bytes at these addresses, which ascend; the code ends at `end`.
inline profile::SymbolTable FunctionsAt(
    const std::vector<std::pair<uint64_t, std::string>>& functions, uint64_t end) {
  profile::SymbolTable symbols;
  symbols.text_low = functions.front().first;
  symbols.text_high = end;
  for (const auto& [address, name] : functions) {
    profile::FunctionSymbol symbol;
    symbol.address = address;
    symbol.size = 0x100;
    symbol.name = name;
    symbol.is_function = true;
    symbols.functions.push_back(symbol);
  }
  return symbols;
}

}  // namespace gprofhub::analyzer
