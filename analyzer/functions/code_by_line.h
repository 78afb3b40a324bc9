// Code cut into pieces, each of which comes from one source line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "profile/symbols.h"

namespace gprofhub::analyzer {

// Whether the symbol only says that what follows is code, or data in it, and names nothing
// ("ELF for the Arm 64-bit Architecture", Mapping symbols).
bool IsMappingSymbol(absl::string_view architecture, absl::string_view name);

// A piece of code that comes from one line. It reaches to the next piece.
struct LineCode {
  uint64_t address = 0;
  const profile::FunctionSymbol* symbol = nullptr;  // the one it is in; null if it is in none
  // Linkage name of the function that it comes from: of an inlined one's, that one.
  const std::string* name = nullptr;

  bool is_local() const { return symbol != nullptr && symbol->is_local; }
};

// The image's code in pieces, ascending by address. A new piece begins where the line, its
// file or the function changes. Code without a known line belongs to the piece before.
// The pieces point into `symbols`.
std::vector<LineCode> CodeByLine(const profile::SymbolTable& symbols);

}  // namespace gprofhub::analyzer
