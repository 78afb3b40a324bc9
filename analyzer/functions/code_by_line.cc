// Splits the code as GNU gprof 2.40 does (observed).
#include "analyzer/functions/code_by_line.h"

#include <algorithm>

#include "absl/strings/string_view.h"

namespace gprofhub::analyzer {
namespace {

// Cursor over a list sorted by address, for lookups of ascending addresses.
template <typename Element>
class AddressCursor {
 public:
  explicit AddressCursor(const std::vector<Element>& elements) : elements_(elements) {}

  // The last element that begins at or before the address; null before the first.
  const Element* MoveTo(uint64_t address) {
    while (next_ < elements_.size() && elements_[next_].address <= address) ++next_;
    return next_ == 0 ? nullptr : &elements_[next_ - 1];
  }
  // Where the next element begins.
  uint64_t NextAddress() const {
    return next_ < elements_.size() ? elements_[next_].address : UINT64_MAX;
  }

 private:
  const std::vector<Element>& elements_;
  size_t next_ = 0;
};

// Whether this is a mapping symbol, which marks the start of code or data and names nothing ("ELF
// for the Arm 64-bit Architecture", Mapping symbols).
bool IsMappingSymbol(absl::string_view architecture, absl::string_view name) {
  if (architecture != "aarch64") return false;
  const absl::string_view kind = name.substr(0, 2);
  return (kind == "$x" || kind == "$d") && (name.size() == 2 || name[2] == '.');
}

// A symbol that names the code from its address on.
struct Naming {
  uint64_t address;
  const profile::FunctionSymbol* symbol;
};

std::vector<Naming> NamingSymbols(const profile::SymbolTable& symbols) {
  std::vector<Naming> naming;
  for (const profile::FunctionSymbol& symbol : symbols.functions) {
    if (IsMappingSymbol(symbols.architecture, symbol.name)) continue;
    if (!naming.empty() && naming.back().address == symbol.address) {
      if (symbol.is_function && !naming.back().symbol->is_function) naming.back().symbol = &symbol;
      continue;
    }
    naming.push_back({symbol.address, &symbol});
  }
  return naming;
}

}  // namespace

std::vector<LineCode> CodeByLine(const profile::SymbolTable& symbols) {
  static const std::string kNoName;
  std::vector<LineCode> pieces;
  AddressCursor<profile::CodeScope> scopes(symbols.scopes);
  const std::vector<Naming> naming = NamingSymbols(symbols);
  AddressCursor<Naming> names(naming);
  const profile::LineRow* previous = nullptr;
  const std::vector<profile::LineRow>& lines = symbols.lines;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].line == 0 || lines[i].file == 0) continue;
    const uint64_t end = i + 1 < lines.size() ? lines[i + 1].address : symbols.text_high;
    for (uint64_t at = lines[i].address; at < end;) {
      const profile::CodeScope* scope = scopes.MoveTo(at);
      const Naming* named = names.MoveTo(at);
      LineCode piece{at, named != nullptr ? named->symbol : nullptr, &kNoName};
      if (piece.symbol != nullptr) piece.name = &piece.symbol->name;
      if (scope != nullptr && scope->name != 0) piece.name = &symbols.scope_names[scope->name];
      if (previous == nullptr || previous->line != lines[i].line ||
          previous->file != lines[i].file || *pieces.back().name != *piece.name) {
        pieces.push_back(piece);
        previous = &lines[i];
      }
      at = std::min({end, scopes.NextAddress(), names.NextAddress()});
    }
  }
  return pieces;
}

}  // namespace gprofhub::analyzer
