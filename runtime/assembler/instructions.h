// Properties of x86-64 instructions, of directives, and of callees, by name.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_set>

namespace gprofhub {

using SymbolSet = std::unordered_set<std::string_view>;

// Effect of an instruction on the arithmetic flags: the first access.
enum class FlagsUse : uint8_t { kNone, kRead, kWritten };
FlagsUse FlagsUseOf(std::string_view mnemonic);

// A conditional jump.
bool IsConditional(std::string_view mnemonic);

// A prefix, alone or before its instruction on the same line.
bool IsPrefix(std::string_view mnemonic);

// A directive that emits bytes.
bool IsData(std::string_view directive);

// Calls that always return, exactly once.
bool AlwaysReturns(std::string_view callee);

bool NeverReturns(std::string_view callee);

// Inline assembly that may leave, or continue elsewhere than at its end.
bool MayBranch(std::string_view assembly);

}  // namespace gprofhub
