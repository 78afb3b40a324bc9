// What is known of x86-64 instructions, of directives, and of callees by their names.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_set>

namespace gprofhub {

using SymbolSet = std::unordered_set<std::string_view>;

// What an instruction does to the arithmetic flags, what comes first.
enum class FlagsUse : uint8_t { kNone, kRead, kWritten };
FlagsUse FlagsUseOf(std::string_view mnemonic);

// A jump that may be taken or not.
bool IsConditional(std::string_view mnemonic);

// A prefix that stands alone, or before its instruction on the same line.
bool IsPrefix(std::string_view mnemonic);

// A directive that puts bytes.
bool IsData(std::string_view directive);

// Calls after which the program goes on, once, whatever happens.
bool AlwaysReturns(std::string_view callee);

bool NeverReturns(std::string_view callee);

// The user's own assembly that may leave, or come back otherwise than at its end.
bool MayBranch(std::string_view assembly);

}  // namespace gprofhub
