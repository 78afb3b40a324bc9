// What must be known of an assembly file before its blocks can be found: which labels
// are entered, and which functions always return.
#pragma once

#include <string_view>

#include "runtime/assembler/instructions.h"

namespace gprofhub {

struct References {
  SymbolSet jumped;     // labels that jumps lead to
  SymbolSet entered;    // labels named otherwise
  SymbolSet returning;  // functions that go on behind a call, once, whatever happens
  bool Heads(std::string_view label) const {
    return jumped.count(label) != 0 || entered.count(label) != 0;
  }
};

// Views into `text`.
References ReadReferences(std::string_view text);

}  // namespace gprofhub
