// Splits code into pieces, each from one source line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/symbols.h"

namespace gprofhub::analyzer {

// A piece of code from one line. It ends where the next piece begins.
struct LineCode {
  uint64_t address = 0;
  const profile::FunctionSymbol* symbol = nullptr;  // the containing symbol, or null
  // Linkage name of the source function; the inlined function's for inlined code.
  const std::string* name = nullptr;
};

// The image's code in pieces, ascending by address. A new piece begins where the line, its
// file or the function changes. Code without a known line belongs to the piece before.
// The pieces point into `symbols`.
std::vector<LineCode> CodeByLine(const profile::SymbolTable& symbols);

}  // namespace gprofhub::analyzer
