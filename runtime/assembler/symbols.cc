#include "runtime/assembler/symbols.h"

#include <string>
#include <utility>
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
  } else if (name == ".set") {
    const std::vector<std::string_view> parts = SplitOperands(statement.operands);
    if (parts.size() == 2) symbols.aliases[parts[0]] = parts[1];
    Mention(statement.operands, symbols);
  } else if (name == ".ident") {
    symbols.by_gcc |= Contains(statement.operands, "GCC:");
  } else if (name == ".size" || name == ".hidden" || name == ".local" || name == ".section" ||
             StartsWith(name, ".cfi_") || name == ".addrsig_sym") {
    // Properties of the symbol, not references to it.
  } else {
    Mention(statement.operands, symbols);
  }
}

bool IsThunkName(std::string_view name) {
  return StartsWith(name, "_ZTh") || StartsWith(name, "_ZTv") || StartsWith(name, "_ZTc");
}

// gcc writes a thunk that only adjusts `this` without mcount: it is part of the call. Its name is
// "_ZT", the adjustments, and the name of its function from "_Z" on.
bool IsThunkOf(std::string_view thunk, std::string_view function, const Symbols& symbols) {
  if (StartsWith(function, ".L")) {
    return symbols.aliases.count(function) != 0 && !symbols.IsLocalLabel(function);
  }
  return symbols.by_gcc && StartsWith(function, "_Z") &&
         EndsWith(thunk, "_" + std::string(function.substr(2)));
}

}  // namespace

bool Symbols::IsLocalLabel(std::string_view symbol) const {
  if (!StartsWith(symbol, ".L")) return false;
  const auto alias = aliases.find(symbol);
  if (alias != aliases.end()) return functions.count(alias->second) == 0;
  return !EndsWith(symbol, "$local");
}

Symbols ReadSymbols(std::string_view text) {
  Symbols symbols;
  std::string_view function;                                         // that the line belongs to
  std::vector<std::pair<std::string_view, std::string_view>> jumps;  // from function to function
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
    if (symbols.functions.count(statement.label) != 0) function = statement.label;
    const bool branch = IsCall(statement.mnemonic) || IsJump(statement.mnemonic) ||
                        IsConditionalJump(statement.mnemonic);
    const std::string_view target = branch ? DirectTarget(statement.operands) : std::string_view();
    if (IsThunkName(function) && IsJump(statement.mnemonic)) jumps.emplace_back(function, target);
    if (!target.empty()) return;
    Mention(statement.operands, symbols);
  };
  ForEachLineOfCode(text, visit, [](std::string_view) {});
  for (const auto& [thunk, target] : jumps) {
    if (IsThunkOf(thunk, target, symbols)) symbols.thunks.insert(thunk);
  }
  return symbols;
}

}  // namespace gprofhub
