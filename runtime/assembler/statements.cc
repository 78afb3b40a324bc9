#include "runtime/assembler/statements.h"

#include <algorithm>

namespace gprofhub {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view Trim(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

// Length of the quoted string at the beginning of `text`, with both quotes.
size_t QuotedLength(std::string_view text) {
  size_t at = 1;
  while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  return at < text.size() ? at + 1 : text.size();
}

size_t CommentStart(std::string_view line) {
  for (size_t at = 0; at < line.size();) {
    if (line[at] == '#') return at;
    at += line[at] == '"' ? QuotedLength(line.substr(at)) : 1;
  }
  return line.size();
}

std::string_view TakeWord(std::string_view& text) {
  size_t end = 0;
  while (end < text.size() && !IsBlank(text[end])) ++end;
  const std::string_view word = text.substr(0, end);
  text = Trim(text.substr(end));
  return word;
}

}  // namespace

bool IsSymbolCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '$' || static_cast<unsigned char>(c) >= 0x80;
}

bool IsNop(const Statement& statement) {
  const std::string_view name = statement.mnemonic;
  if (name == "xchgw") return statement.operands == "%ax, %ax" || statement.operands == "%ax,%ax";
  return name == "nop" || name == "nopw" || name == "nopl";
}

bool NamesNothing(std::string_view line) {
  if (line.size() < 3 || line[0] != '\t' || line[1] != '.') return false;
  const size_t end = std::min(line.find('\t', 2), line.size());
  const std::string_view name = line.substr(2, end - 2);
  if (name == "string" || name == "ascii" || name == "loc") return true;
  if (name != "long" && name != "quad" && name != "byte" && name != "value" && name != "uleb128" &&
      name != "sleb128") {
    return false;
  }
  bool inside = false;  // a symbol or number
  for (char c : line.substr(end)) {
    const bool is_part = IsSymbolCharacter(c) || c == '"';
    if (is_part && !inside && c != '.' && (c < '0' || c > '9')) return false;
    inside = is_part;
  }
  return true;
}

Statement ParseStatement(std::string_view line) {
  Statement statement;
  const size_t comment = CommentStart(line);
  statement.comment = line.substr(comment);
  std::string_view rest = Trim(line.substr(0, comment));
  size_t end = 0;
  if (!rest.empty() && rest.front() == '"') {
    end = QuotedLength(rest);
  } else {
    while (end < rest.size() && IsSymbolCharacter(rest[end])) ++end;
  }
  if (end > 0 && end < rest.size() && rest[end] == ':') {
    statement.label = rest.substr(0, end);
    rest = Trim(rest.substr(end + 1));
  }
  statement.mnemonic = TakeWord(rest);
  if (statement.mnemonic == "notrack" || statement.mnemonic == "bnd") {
    statement.prefix = statement.mnemonic;
    statement.mnemonic = TakeWord(rest);
  }
  statement.operands = rest;
  return statement;
}

std::vector<std::string_view> SplitOperands(std::string_view operands) {
  std::vector<std::string_view> parts;
  size_t start = 0;
  for (size_t at = 0; at < operands.size();) {
    if (operands[at] == ',') {
      parts.push_back(Trim(operands.substr(start, at - start)));
      start = ++at;
    } else {
      at += operands[at] == '"' ? QuotedLength(operands.substr(at)) : 1;
    }
  }
  parts.push_back(Trim(operands.substr(start)));
  return parts;
}

std::vector<std::string_view> SymbolsIn(std::string_view operands) {
  std::vector<std::string_view> symbols;
  for (size_t at = 0; at < operands.size();) {
    if (operands[at] == '"') {
      at += QuotedLength(operands.substr(at));
    } else if (!IsSymbolCharacter(operands[at])) {
      ++at;
    } else {
      const size_t start = at;
      while (at < operands.size() && IsSymbolCharacter(operands[at])) ++at;
      symbols.push_back(operands.substr(start, at - start));
    }
  }
  return symbols;
}

std::string_view DirectTarget(std::string_view operands) {
  size_t end = 0;
  if (!operands.empty() && operands.front() == '"') end = QuotedLength(operands);
  while (end < operands.size() && IsSymbolCharacter(operands[end])) ++end;
  const std::string_view rest = operands.substr(end);
  return rest.empty() || rest == "@PLT" ? operands.substr(0, end) : std::string_view();
}

}  // namespace gprofhub
