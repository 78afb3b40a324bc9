// Level 128, and what 4096 shares with it: each symbol of the image, and the tables
// of functions and lines made of them.
#pragma once

#include <string>

#include "analyzer/listing/rows.h"
#include "profile/elf/symbol_classes.h"
#include "profile/symbols.h"

namespace gprofhub::cli {

struct SymbolTraceInput {
  const profile::ClassedSymbols& classed;  // of the image
  const profile::SymbolTable& symbols;     // with lines, and by line with scopes
  const analyzer::RowOptions& options;
  bool is_external;  // symbols were read from a file (-S)
};

std::string TraceSymbols(const SymbolTraceInput& input, unsigned levels);

}  // namespace gprofhub::cli
