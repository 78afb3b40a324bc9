// Symbol tables for tests.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "profile/symbols.h"

namespace gprofhub::analyzer {

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
