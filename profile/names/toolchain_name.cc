// gcc records the options in effect after its name: "GNU C++17 12.2.0 -mtune=generic -O2 -p". clang
// records its command line with -grecord-gcc-switches: "Debian clang version 14.0.6 /usr/bin/clang
// -O2 -c a.cc -o a.o". So options are selected by name. The options left out would distinguish
// builds with the same code.
#include "profile/names/toolchain_name.h"

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

namespace gprofhub::profile {
namespace {

constexpr size_t kLongestProducer = 4096;
constexpr size_t kLongestName = 300;
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
                                          "sanitize-coverage"};

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
      if (name.size() + 1 + option.size() > kLongestName) break;
      absl::StrAppend(&name, " ", option);
    }
  }
  for (char& c : name) {
    if (!absl::ascii_isprint(c)) c = '?';
  }
  return std::string(absl::StripAsciiWhitespace(name)).substr(0, kLongestName);
}

}  // namespace gprofhub::profile
