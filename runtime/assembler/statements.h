// Compiler-written assembly, a line at a time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gprofhub {

// One line: an optional label, an optional mnemonic or directive with its
// operands, an optional comment. Views into the line.
struct Statement {
  std::string_view label;     // without the colon; empty: none
  std::string_view mnemonic;  // for instructions, after prefixes such as "notrack"
  std::string_view prefix;    // "notrack" or "bnd"; otherwise empty
  std::string_view operands;  // blanks trimmed
  std::string_view comment;   // from '#' on
};

Statement ParseStatement(std::string_view line);

// True if the mnemonic is a directive.
inline bool IsDirective(const Statement& statement) {
  return !statement.mnemonic.empty() && statement.mnemonic.front() == '.';
}

// A comma-separated list; commas in quotes do not separate.
std::vector<std::string_view> SplitOperands(std::string_view operands);

// The symbols in the operands, without "@PLT" and the like; quoted text is skipped.
std::vector<std::string_view> SymbolsIn(std::string_view operands);

// "name" of a direct call's or jump's operand "name" or "name@PLT"; empty if the
// operand is something else.
std::string_view DirectTarget(std::string_view operands);

// An instruction without effect, of any length, as compilers write it.
bool IsNop(const Statement& statement);

bool IsSymbolCharacter(char c);

// A line that only emits bytes or source positions, without references to functions. Most of a
// compiler's output is such debug information, which need not be parsed.
bool NamesNothing(std::string_view line);

}  // namespace gprofhub
