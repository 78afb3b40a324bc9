// libiberty demangles, as in GNU gprof. It trusts its input: a mangled name can encode a text, or a
// search, exponentially longer than itself. 300 bytes make a gigabyte. So each name is checked
// first, and C++'s text, whose demangler passes it on in pieces, is cut off while it is written.
//   - C++ text: a substitution (S_, S0_, …) repeats earlier text, so
//     that every pair<S_, S_> doubles it; a pack expansion (Dp, sp) repeats its
//     pattern. Cut off beyond kTextPerByte for each byte of the name.
//   - C++ pack expansions: each searches its pattern for a pack, through all
//     shared substitutions. The pattern's size is measured on the parsed
//     name, where sharing costs nothing.
//   - C++ conversions to a template parameter with arguments (cvT_I…) are parsed
//     both as that and as a template's conversion; nested, 2^n times.
//   - D's and Rust's back references (Q…, B…) point to the place that they repeat:
//     their text is no longer than that from there to here.
//   - Rust's binders (G…) contain the number of lifetimes they introduce, and each
//     is written, or skipped, one by one.
#include "profile/demangle.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"

// libiberty declares a basename() that conflicts with that of <cstring>.
#define HAVE_DECL_BASENAME 1
#include <libiberty/demangle.h>

#include <algorithm>
#include <csetjmp>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace gprofhub::profile {

namespace {

// D's and Rust's demanglers recurse over the name. C++'s has its own limit.
constexpr size_t kLongestName = 16384;

// The longest text of a name of n bytes is kShortText + n * kTextPerByte. Among
// 200,000 names of Debian's libraries none exceeds 30 for each byte.
constexpr size_t kShortText = 16384;
constexpr size_t kTextPerByte = 64;

constexpr uint64_t kLargestPattern = 512;
constexpr int kMostConversions = 8;

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
using AllocatedText = std::unique_ptr<char, Free>;

size_t LongestText(const std::string& name) { return kShortText + name.size() * kTextPerByte; }

// Sizes of parts of a parsed C++ name, in expanded form.
class WrittenSize {
 public:
  // Saturates above kLargestPattern.
  uint64_t Of(const demangle_component* part) {
    if (part == nullptr) return 0;
    const auto [entry, inserted] = sizes_.try_emplace(part, kLargestPattern + 1);
    if (!inserted) return entry->second;
    uint64_t size = 1;
    switch (part->type) {
      case DEMANGLE_COMPONENT_NAME:
      case DEMANGLE_COMPONENT_TEMPLATE_PARAM:
      case DEMANGLE_COMPONENT_FUNCTION_PARAM:
      case DEMANGLE_COMPONENT_SUB_STD:
      case DEMANGLE_COMPONENT_BUILTIN_TYPE:
      case DEMANGLE_COMPONENT_EXTENDED_BUILTIN_TYPE:
      case DEMANGLE_COMPONENT_OPERATOR:
      case DEMANGLE_COMPONENT_CHARACTER:
      case DEMANGLE_COMPONENT_NUMBER:
      case DEMANGLE_COMPONENT_UNNAMED_TYPE:
        break;
      case DEMANGLE_COMPONENT_LAMBDA:
      case DEMANGLE_COMPONENT_DEFAULT_ARG:
        size += Of(part->u.s_unary_num.sub);
        break;
      case DEMANGLE_COMPONENT_EXTENDED_OPERATOR:
        size += Of(part->u.s_extended_operator.name);
        break;
      case DEMANGLE_COMPONENT_FIXED_TYPE:
        size += Of(part->u.s_fixed.length);
        break;
      case DEMANGLE_COMPONENT_CTOR:
        size += Of(part->u.s_ctor.name);
        break;
      case DEMANGLE_COMPONENT_DTOR:
        size += Of(part->u.s_dtor.name);
        break;
      default:
        size += Of(part->u.s_binary.left) + Of(part->u.s_binary.right);
        if (part->type == DEMANGLE_COMPONENT_PACK_EXPANSION) {
          largest_pattern_ = std::max(largest_pattern_, size);
        }
    }
    size = std::min(size, kLargestPattern + 1);
    sizes_[part] = size;
    return size;
  }

  uint64_t largest_pattern() const { return largest_pattern_; }

 private:
  absl::flat_hash_map<const demangle_component*, uint64_t> sizes_;
  uint64_t largest_pattern_ = 0;
};

bool ParsesInLinearTime(const std::string& name) {
  int conversions = 0;
  for (size_t at = name.find("cvT"); at != std::string::npos; at = name.find("cvT", at + 1)) {
    size_t end = at + 3;
    while (end < name.size() && absl::ascii_isalnum(name[end])) ++end;
    conversions += absl::StartsWith(absl::string_view(name).substr(end), "_I");
  }
  return conversions <= kMostConversions;
}

bool HasOnlySmallPatterns(const std::string& name, int options) {
  if (!absl::StrContains(name, "Dp") && !absl::StrContains(name, "sp")) return true;
  void* memory = nullptr;
  WrittenSize sizes;
  const demangle_component* parsed = cplus_demangle_v3_components(name.c_str(), options, &memory);
  const std::unique_ptr<void, Free> owner(memory);
  sizes.Of(parsed);
  return sizes.largest_pattern() <= kLargestPattern;
}

// Collects a demangler's output, up to a length.
struct LimitedText {
  std::string text;
  size_t longest = 0;
  std::jmp_buf beyond;
};

void Write(const char* piece, size_t length, void* to) {
  LimitedText& limited = *static_cast<LimitedText*>(to);
  if (length > limited.longest - limited.text.size()) std::longjmp(limited.beyond, 1);
  limited.text.append(piece, length);
}

// The demanglers called here are C code without allocations, so that a longjmp out of them leaks
// nothing.
bool WriteCpp(const std::string& name, int options, LimitedText& limited) {
  if (setjmp(limited.beyond) != 0) return false;
  return ((options & DMGL_JAVA) != 0
              ? java_demangle_v3_callback(name.c_str(), Write, &limited)
              : cplus_demangle_v3_callback(name.c_str(), options, Write, &limited)) != 0;
}

constexpr int kWhole = DMGL_PARAMS | DMGL_ANSI;
constexpr int kJavaWhole = DMGL_JAVA | kWhole;

std::optional<std::string> DemangleCpp(const std::string& name, int options) {
  if (!ParsesInLinearTime(name) || !HasOnlySmallPatterns(name, options & ~DMGL_JAVA)) {
    return std::nullopt;
  }
  LimitedText limited;
  limited.longest = LongestText(name);
  if (!WriteCpp(name, options, limited)) return std::nullopt;
  return std::move(limited.text);
}

// Whether the text stays short even if every `letter` begins a back reference. `place`: converts
// the position after the letter to the one it refers to.
template <typename Place>
bool IsShortWithBackReferences(const std::string& name, char letter, Place place) {
  if (name.size() > kLongestName) return false;
  const size_t longest = LongestText(name);
  std::vector<size_t> text_before(name.size() + 1);
  for (size_t at = 0; at < name.size(); ++at) {
    size_t text = text_before[at] + 1;
    if (name[at] == letter) {
      const std::optional<size_t> target = place(at + 1);
      if (target.has_value() && *target < at) text += text_before[at] - text_before[*target];
    }
    if (text > longest) return false;
    text_before[at + 1] = text;
  }
  return true;
}

std::optional<std::string> Owned(char* text) {
  const AllocatedText owner(text);
  if (text == nullptr) return std::nullopt;
  return std::string(text);
}

// Whether no binder has a number of more than one digit. Replaces the letter of every
// candidate: one that is part of an identifier or of a hash stays valid, a binder does not.
bool HasOnlySmallBinders(const std::string& name) {
  std::string masked = name;
  for (size_t at = name.find('G'); at != std::string::npos; at = name.find('G', at + 1)) {
    size_t end = at + 1;
    while (end < name.size() && absl::ascii_isalnum(name[end])) ++end;
    if (end < name.size() && name[end] == '_' && end > at + 2) masked[at] = 'H';
  }
  return masked == name ||
         Owned(rust_demangle(masked.c_str(), DMGL_PARAMS | DMGL_ANSI)).has_value();
}

std::optional<std::string> DemangleRust(const std::string& name) {
  // Position after "_R", in digits 0-9a-zA-Z.
  const auto place = [&name](size_t at) -> std::optional<size_t> {
    size_t value = 0;
    if (at < name.size() && name[at] == '_') return 2;
    for (; at < name.size() && absl::ascii_isalnum(name[at]) && value < name.size(); ++at) {
      const char c = name[at];
      value = value * 62 + (absl::ascii_isdigit(c)   ? c - '0'
                            : absl::ascii_islower(c) ? c - 'a' + 10
                                                     : c - 'A' + 36);
    }
    if (at == name.size() || name[at] != '_') return std::nullopt;
    return value + 3;
  };
  if (!IsShortWithBackReferences(name, 'B', place) || !HasOnlySmallBinders(name)) {
    return std::nullopt;
  }
  return Owned(rust_demangle(name.c_str(), DMGL_PARAMS | DMGL_ANSI));
}

std::optional<std::string> DemangleDlang(const std::string& name) {
  // Distance back from the Q, in digits A-Z of which the last is a-z.
  const auto place = [&name](size_t at) -> std::optional<size_t> {
    const size_t q = at - 1;
    size_t distance = 0;
    for (; at < name.size() && absl::ascii_isupper(name[at]) && distance < name.size(); ++at) {
      distance = distance * 26 + (name[at] - 'A');
    }
    if (at == name.size() || !absl::ascii_islower(name[at])) return std::nullopt;
    distance = distance * 26 + (name[at] - 'a');
    if (distance > q) return std::nullopt;
    return q - distance;
  };
  if (!IsShortWithBackReferences(name, 'Q', place)) return std::nullopt;
  return Owned(dlang_demangle(name.c_str(), DMGL_PARAMS | DMGL_ANSI));
}

// Rust's or C++'s demangler; `options` are for the latter.
std::optional<std::string> DemangleAny(const std::string& name, int options) {
  if (!absl::StartsWith(name, "_")) return std::nullopt;
  std::optional<std::string> text = DemangleRust(name);
  return text.has_value() ? std::move(text) : DemangleCpp(name, options);
}

std::optional<std::string> DemangleCore(const std::string& name, DemanglingStyle style) {
  switch (style) {
    case DemanglingStyle::kGnuV3:
      return DemangleCpp(name, kWhole);
    case DemanglingStyle::kJava:
      return DemangleCpp(name, kJavaWhole);
    case DemanglingStyle::kGnat:
      return Owned(ada_demangle(name.c_str(), DMGL_PARAMS | DMGL_ANSI));
    case DemanglingStyle::kDlang:
      return DemangleDlang(name);
    case DemanglingStyle::kRust:
      return DemangleRust(name);
    case DemanglingStyle::kAuto:
      break;
  }
  return DemangleAny(name, kWhole);
}

// `demangle` applied to the name without its prefix and suffix.
template <typename DemangleCoreOf>
std::string DemangleAround(absl::string_view name, DemangleCoreOf demangle) {
  const size_t begin = std::min(name.find_first_not_of(".$"), name.size());
  const absl::string_view core = name.substr(begin, name.find('@', begin) - begin);
  const std::optional<std::string> text = demangle(std::string(core));
  if (!text.has_value()) return std::string(name);
  return absl::StrCat(name.substr(0, begin), *text, name.substr(begin + core.size()));
}

}  // namespace

std::string Demangle(absl::string_view name, DemanglingStyle style) {
  return DemangleAround(name, [&](const std::string& core) { return DemangleCore(core, style); });
}

std::string DemangleWithoutParameters(absl::string_view name) {
  return DemangleAround(name,
                        [](const std::string& core) { return DemangleAny(core, DMGL_NO_OPTS); });
}

std::string QualifiedName(absl::string_view linkage_name) {
  // Only templates' names contain their return type.
  const std::string text = DemangleWithoutParameters(linkage_name);
  absl::string_view demangled = text;
  constexpr absl::string_view kAnonymous = "(anonymous namespace)";
  std::string name;
  int depth = 0;  // nesting of template arguments and parameters
  while (!demangled.empty()) {
    if (depth == 0 && absl::EndsWith(name, "operator")) {
      // The text after it is the operator's name and not a list.
      size_t length = absl::StartsWith(demangled, "()") ? 2 : 0;
      if (length == 0) {
        length = demangled.find_first_not_of("<>=!+-*/%^&|~,[]");
        length = std::min(length, demangled.size());
      }
      name += std::string(demangled.substr(0, length));
      demangled.remove_prefix(length);
      if (demangled.empty()) break;
    }
    if (depth == 0 && absl::ConsumePrefix(&demangled, kAnonymous)) {
      name += std::string(kAnonymous);
      continue;
    }
    const char c = demangled.front();
    if (c == '(' && depth == 0) break;
    demangled.remove_prefix(1);
    if (c == '<' || c == '(') {
      ++depth;
    } else if (c == '>' || c == ')') {
      depth = std::max(0, depth - 1);
    } else if (depth == 0) {
      name += c;
    }
  }
  return name;
}

std::string ScopeOf(absl::string_view linkage_name) {
  const std::string name = QualifiedName(linkage_name);
  const size_t colons = name.rfind("::");
  return colons == std::string::npos ? "" : name.substr(0, colons);
}

std::string LocalName(absl::string_view linkage_name) {
  const std::string name = QualifiedName(linkage_name);
  const size_t colons = name.rfind("::");
  return colons == std::string::npos ? name : name.substr(colons + 2);
}

// gcc records the options in effect after its name: "GNU C++17 12.2.0 -mtune=generic -O2 -p". clang
// records its command line with -grecord-gcc-switches: "Debian clang version 14.0.6 /usr/bin/clang
// -O2 -c a.cc -o a.o". So options are selected by name. The options left out would distinguish
// builds with the same code.

namespace {

constexpr size_t kLongestProducer = 4096;
constexpr size_t kToolchainNameLongestName = 300;
constexpr size_t kLongestCompiler = 60;

// Prefixes of options, after -f or -m, that do not change the code, or are about profiling.
constexpr const char* kWithoutEffect[] = {"asynchronous-unwind-tables",
                                          "unwind-tables",
                                          "debug",
                                          "file-prefix-map",
                                          "macro-prefix",
                                          "profile-prefix-map",
                                          "diagnostics",
                                          "random-seed",
                                          "record",
                                          "color",
                                          "canonical",
                                          "message-length",
                                          "verbose-asm",
                                          "max-errors",
                                          "dump",
                                          "preprocessed",
                                          "directives",
                                          "track-macro",
                                          "working-directory",
                                          "coverage",
                                          "no-record",
                                          "ident",
                                          "fentry",
                                          "record-mcount",
                                          "nop-mcount",
                                          "no-fentry",
                                          "crash-diagnostics",
                                          "eliminate-unused-debug",
                                          "stack-usage",
                                          "syntax-only",
                                          "caret-diagnostics",
                                          "error-limit",
                                          "template-backtrace-limit",
                                          "macro-backtrace-limit",
                                          "message_length",
                                          "sanitize-coverage",
                                          "use-ld",
                                          "function-sections",
                                          "data-sections"};

bool HasEffect(absl::string_view option) {
  absl::string_view name = option.substr(2);
  absl::ConsumePrefix(&name, "no-");
  return std::none_of(std::begin(kWithoutEffect), std::end(kWithoutEffect),
                      [&](const char* without) { return absl::StartsWith(name, without); });
}

// Key of an option, to find the ones that a later option overrides: the key of "-fno-inline" is
// that of "-finline".
std::string KeyOf(absl::string_view option) {
  if (absl::StartsWith(option, "-O")) return "-O";
  std::string key(option.substr(0, option.find('=')));
  for (const absl::string_view no : {"-fno-", "-mno-"}) {
    if (absl::StartsWith(key, no)) return absl::StrCat(key.substr(0, 2), key.substr(no.size()));
  }
  return key;
}

// By key.
std::map<std::string, std::string> CodeOptions(absl::Span<const absl::string_view> words) {
  std::map<std::string, std::string> options;
  for (const absl::string_view word : words) {
    const bool is_family = absl::StartsWith(word, "-f") || absl::StartsWith(word, "-m");
    const bool is_code = absl::StartsWith(word, "-O") || absl::StartsWith(word, "-std=") ||
                         absl::StartsWith(word, "-stdlib=") ||
                         absl::StartsWith(word, "--target=") ||
                         absl::StartsWith(word, "--param=") || word == "-ansi" ||
                         (is_family && word.size() > 2 && word != "-mllvm" && HasEffect(word));
    if (!is_code) continue;
    // Paths differ between machines.
    const bool is_path = absl::StrContains(word, "/");
    std::string option(is_path ? word.substr(0, word.find('=')) : word);
    if (absl::StrContains(option, "/")) continue;
    if (option == "-O") option = "-O1";
    const bool is_parameter = absl::StartsWith(option, "--param=");
    options[is_parameter ? option.substr(0, option.find('=', 8)) : KeyOf(option)] = option;
  }
  return options;
}

// "gcc 12.2.0" from the words before the first option.
std::string CompilerName(absl::string_view producer, absl::Span<const absl::string_view> words) {
  if (absl::StrContains(producer, "clang version ")) {
    const absl::string_view rest = producer.substr(producer.find("clang version ") + 14);
    return absl::StrCat("clang ", rest.substr(0, rest.find_first_of(" -(+~")));
  }
  const bool is_comment = absl::StartsWith(producer, "GCC: ");
  if (is_comment || absl::StartsWith(producer, "GNU ")) {
    std::string version;
    for (const absl::string_view word : words) {
      if (absl::StartsWith(word, "-")) break;
      if (word.empty() || !absl::ascii_isdigit(word[0])) continue;
      version = std::string(word.substr(0, word.find_first_of("-)+~")));
      if (!is_comment) break;  // in .comment, the package's version precedes it
    }
    return absl::StrCat(absl::StartsWith(producer, "GNU AS") ? "as " : "gcc ", version);
  }
  return std::string(producer.substr(0, std::min(producer.find(" -"), kLongestCompiler)));
}

}  // namespace

std::string ToolchainName(absl::string_view producer) {
  producer = absl::StripAsciiWhitespace(producer.substr(0, kLongestProducer));
  if (producer.empty()) return "";
  const std::vector<absl::string_view> words = absl::StrSplit(producer, ' ', absl::SkipEmpty());
  std::string name = CompilerName(producer, words).substr(0, kLongestCompiler);
  if (absl::StrContains(producer, " -")) {
    std::map<std::string, std::string> options = CodeOptions(words);
    options.try_emplace("-O", "-O0");
    absl::StrAppend(&name, " ", options["-O"]);
    for (const auto& [key, option] : options) {
      if (key == "-O") continue;
      if (name.size() + 1 + option.size() > kToolchainNameLongestName) break;
      absl::StrAppend(&name, " ", option);
    }
  }
  for (char& c : name) {
    if (!absl::ascii_isprint(c)) c = '?';
  }
  return std::string(absl::StripAsciiWhitespace(name)).substr(0, kToolchainNameLongestName);
}

}  // namespace gprofhub::profile
