// -S: functions from a text file instead of the image's symbol table.
#pragma once

#include "absl/strings/string_view.h"
#include "profile/symbols.h"

namespace gprofhub {

// Replaces the functions of `symbols` by those that `text` lists, a line
// "ADDRESS CLASS NAME" for each (as nm prints them): a hexadecimal address, T
// for a global and t for a local function. Other lines are left out.
void UseExternalSymbols(absl::string_view text, SymbolTable& symbols);

}  // namespace gprofhub
