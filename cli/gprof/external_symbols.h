// -S: functions from a text file instead of the image's symbol table.
#pragma once

#include "absl/strings/string_view.h"
#include "profile/symbols.h"

namespace gprofhub::cli {

// Replaces the functions of `symbols` by those that `text` lists, a line
// "ADDRESS CLASS NAME" for each (as nm prints them): a hexadecimal address, and
// the class T or t. Of class t they are local. Other lines are ignored. The functions have no
// source lines.
void UseExternalSymbols(absl::string_view text, profile::SymbolTable& symbols);

}  // namespace gprofhub::cli
