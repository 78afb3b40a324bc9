#include "runtime/assembler/instructions.h"

#include <algorithm>
#include <array>

#include "runtime/assembler/text_parts.h"

namespace gprofhub {
namespace {

template <typename List>
bool Holds(const List& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

}  // namespace

bool AlwaysReturns(std::string_view callee) {
  static const SymbolSet kKnown = {
      "memcpy",        "memmove", "memset",  "memcmp",  "memchr",
      "strlen",        "strcmp",  "strncmp", "strchr",  "strrchr",
      "strcpy",        "strncpy", "strcat",  "strstr",  "strtol",
      "strtoul",       "malloc",  "free",    "realloc", "calloc",
      "_ZdlPv",        "_ZdaPv",  "_ZdlPvm", "_ZdaPvm", "mcount",
      "__fentry__",    "sin",     "cos",     "exp",     "log",
      "pow",           "sqrt",    "floor",   "ceil",    "fmod",
      "toupper",       "tolower", "strspn",  "strtod",  "__cxa_begin_catch",
      "__tls_get_addr"};
  return kKnown.count(callee) != 0;
}

bool NeverReturns(std::string_view callee) {
  static const SymbolSet kKnown = {"abort",
                                   "exit",
                                   "_exit",
                                   "__assert_fail",
                                   "__stack_chk_fail",
                                   "__cxa_throw",
                                   "__cxa_rethrow",
                                   "_Unwind_Resume",
                                   "_ZSt9terminatev",
                                   "__clang_call_terminate"};
  return kKnown.count(callee) != 0 || StartsWith(callee, "_ZSt20__throw_") ||
         StartsWith(callee, "_ZSt17__throw_") || StartsWith(callee, "_ZSt19__throw_");
}

bool MayBranch(std::string_view assembly) {
  return Contains(assembly, ".L") || Contains(assembly, "call") || Contains(assembly, "jmp") ||
         Contains(assembly, "ret") || Contains(assembly, "syscall") || Contains(assembly, "int");
}

bool IsConditional(std::string_view mnemonic) {
  if (mnemonic == "xbegin" || StartsWith(mnemonic, "loop")) return true;
  return mnemonic.size() > 1 && mnemonic[0] == 'j' && mnemonic != "jmp" && mnemonic != "jmpq";
}

bool IsPrefix(std::string_view mnemonic) {
  static constexpr std::array<std::string_view, 10> kPrefixes = {
      "rep", "repe", "repz", "repne", "repnz", "lock", "data16", "rex64", "rex.w", "cs"};
  return Holds(kPrefixes, mnemonic);
}

bool IsData(std::string_view directive) {
  static constexpr std::array<std::string_view, 12> kData = {
      ".byte",  ".value", ".word",  ".short", ".2byte", ".long",
      ".4byte", ".quad",  ".8byte", ".zero",  ".ascii", ".string"};
  return Holds(kData, directive);
}

FlagsUse FlagsUseOf(std::string_view mnemonic) {
  if (IsConditional(mnemonic)) {
    // jcxz and loop do not read the flags; treating them as readers is safe.
    return FlagsUse::kRead;
  }
  for (std::string_view reader : {"set", "cmov", "adc", "adox", "sbb", "rcl", "rcr", "lahf",
                                  "pushf", "cmc", "fcmov", "salc"}) {
    if (StartsWith(mnemonic, reader)) return FlagsUse::kRead;
  }
  static const SymbolSet kWriters = {"add", "sub", "cmp", "test", "and",
                                     "or",  "xor", "neg", "imul", "mul"};
  if (StartsWith(mnemonic, "comis") || StartsWith(mnemonic, "ucomis") ||
      StartsWith(mnemonic, "vcomis") || StartsWith(mnemonic, "vucomis")) {
    return FlagsUse::kWritten;
  }
  if (kWriters.count(mnemonic) != 0) return FlagsUse::kWritten;
  if (!mnemonic.empty() &&
      std::string_view("bwlq").find(mnemonic.back()) != std::string_view::npos) {
    mnemonic.remove_suffix(1);
    if (kWriters.count(mnemonic) != 0) return FlagsUse::kWritten;
  }
  return FlagsUse::kNone;
}

}  // namespace gprofhub
