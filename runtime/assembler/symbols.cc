#include "runtime/assembler/symbols.h"

#include <vector>

#include "runtime/assembler/lines.h"
#include "runtime/assembler/statements.h"
#include "runtime/assembler/text_parts.h"

namespace gprofhub {
namespace {

// Local labels and numbers are not functions.
void Mention(std::string_view operands, Symbols& symbols) {
  for (std::string_view symbol : SymbolsIn(operands)) {
    if (symbol[0] != '.' && (symbol[0] < '0' || symbol[0] > '9')) symbols.mentioned.insert(symbol);
  }
}

void NoteDirective(const Statement& statement, Symbols& symbols) {
  const std::string_view name = statement.mnemonic;
  if (name == ".type") {
    const std::vector<std::string_view> parts = SplitOperands(statement.operands);
    if (parts.size() == 2 && Contains(parts[1], "function")) symbols.functions.insert(parts[0]);
  } else if (name == ".globl" || name == ".global" || name == ".weak") {
    for (std::string_view symbol : SplitOperands(statement.operands)) {
      symbols.exported.insert(symbol);
    }
  } else if (name == ".ident") {
    symbols.by_gcc |= Contains(statement.operands, "GCC:");
  } else if (name == ".size" || name == ".hidden" || name == ".local" || name == ".section" ||
             StartsWith(name, ".cfi_") || name == ".addrsig_sym") {
    // Properties of the symbol, not references to it.
  } else {
    Mention(statement.operands, symbols);
  }
}

}  // namespace

Symbols ReadSymbols(std::string_view text) {
  Symbols symbols;
  InlineAssembly inline_assembly;
  const auto visit = [&](std::string_view line) {
    if (inline_assembly.Holds(line)) {
      Mention(line, symbols);
      return;
    }
    if (NamesNothing(line)) return;
    const Statement statement = ParseStatement(line);
    if (IsDirective(statement)) {
      NoteDirective(statement, symbols);
      return;
    }
    const bool branch = IsCall(statement.mnemonic) || IsJump(statement.mnemonic) ||
                        IsConditionalJump(statement.mnemonic);
    if (branch && !DirectTarget(statement.operands).empty()) return;
    Mention(statement.operands, symbols);
  };
  ForEachLineOfCode(text, visit, [](std::string_view) {});
  return symbols;
}

}  // namespace gprofhub
