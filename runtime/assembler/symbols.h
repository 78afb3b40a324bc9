// Facts about an assembly file that are needed before its first line is written.
#pragma once

#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace gprofhub {

struct Symbols {
  std::unordered_set<std::string_view> functions;
  std::unordered_set<std::string_view> exported;                   // .globl, .weak
  std::unordered_set<std::string_view> mentioned;                  // other than by a call or jump
  std::unordered_map<std::string_view, std::string_view> aliases;  // by .set, with their values
  std::unordered_set<std::string_view> thunks;  // of gcc, which jump on and have no mcount
  bool by_gcc = false;

  bool OnlyCalledByName(std::string_view function) const {
    return exported.count(function) == 0 && mentioned.count(function) == 0;
  }
  // Whether the name begins with .L and is not another name of a function: gcc's .LTHUNK0 and
  // clang's .Lf$local are.
  bool IsLocalLabel(std::string_view symbol) const;
};

// Views into `text`.
Symbols ReadSymbols(std::string_view text);

inline bool IsCall(std::string_view mnemonic) { return mnemonic == "call" || mnemonic == "callq"; }
inline bool IsJump(std::string_view mnemonic) { return mnemonic == "jmp" || mnemonic == "jmpq"; }
inline bool IsConditionalJump(std::string_view mnemonic) {
  return mnemonic.size() > 1 && mnemonic.front() == 'j' && !IsJump(mnemonic);
}

}  // namespace gprofhub
