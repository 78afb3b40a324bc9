// Code as the pieces that come from one source line each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/symbols.h"

namespace gprofhub {

// Reaches to the next piece.
struct LinePiece {
  uint64_t address = 0;
  const FunctionSymbol* symbol = nullptr;  // the one it is in; null if it is in none
  // Linkage name of the function that it comes from: of an inlined one's, that one.
  const std::string* name = nullptr;

  bool is_local() const { return symbol != nullptr && symbol->is_local; }
};

// The image's pieces, ascending by address: the code is cut wherever the line, its file or
// the function changes. Code without a known line belongs to the piece before, and does
// not end it. They point into `symbols`.
std::vector<LinePiece> LinePieces(const SymbolTable& symbols);

}  // namespace gprofhub
