// Code cut into pieces, each of which comes from one source line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/symbols.h"

namespace gprofhub::analyzer {

// A piece of code that comes from one line. It reaches to the next piece.
struct LineCode {
  uint64_t address = 0;
  const profile::FunctionSymbol* symbol = nullptr;  // the one it is in; null if it is in none
  // Linkage name of the function that it comes from: of an inlined one's, that one.
  const std::string* name = nullptr;
};

// The image's code in pieces, ascending by address. A new piece begins where the line, its
// file or the function changes. Code without a known line belongs to the piece before.
// The pieces point into `symbols`.
std::vector<LineCode> CodeByLine(const profile::SymbolTable& symbols);

}  // namespace gprofhub::analyzer
