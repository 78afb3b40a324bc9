// Facts about an assembly file that are needed before its blocks can be found: entered labels, and
// functions that always return.
#pragma once

#include <string_view>

#include "runtime/assembler/instructions.h"

namespace gprofhub {

struct References {
  SymbolSet jumped;     // labels that are jump targets
  SymbolSet entered;    // labels referenced otherwise
  SymbolSet returning;  // functions that always return, exactly once
  bool Heads(std::string_view label) const {
    return jumped.count(label) != 0 || entered.count(label) != 0;
  }
};

// Views into `text`.
References ReadReferences(std::string_view text);

}  // namespace gprofhub
