#include "analyzer/listing/symspec.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

namespace gprofhub::analyzer {
namespace {

// Parses leading digits; absl::SimpleAtoi would reject trailing text.
uint32_t LeadingNumber(absl::string_view text) {
  uint64_t number = 0;
  for (const char c : text) {
    if (!absl::ascii_isdigit(c)) break;
    number = std::min<uint64_t>(number * 10 + (c - '0'), UINT32_MAX);
  }
  return static_cast<uint32_t>(number);
}

void ParseFunctionOrLine(absl::string_view text, Symspec& spec) {
  if (absl::ascii_isdigit(text[0])) {
    // Line 0, as in "0x401136", matches any line of any function.
    if (const uint32_t line = LeadingNumber(text); line != 0) spec.line = line;
  } else {
    spec.function = std::string(text);
  }
}

}  // namespace

Symspec Symspec::Parse(absl::string_view text) {
  Symspec spec;
  const size_t colon = text.rfind(':');
  if (colon != absl::string_view::npos) {
    if (colon > 0) spec.file = std::string(text.substr(0, colon));
    if (colon + 1 < text.size()) ParseFunctionOrLine(text.substr(colon + 1), spec);
  } else if (absl::StrContains(text, '.')) {
    spec.file = std::string(text);
  } else if (!text.empty()) {
    ParseFunctionOrLine(text, spec);
  }
  return spec;
}

bool Symspec::Matches(absl::string_view linkage_name, absl::string_view path,
                      uint32_t line_number) const {
  if (function && absl::string_view(*function) != linkage_name) return false;
  if (line && (line_number == 0 || *line != line_number)) return false;
  return !file || absl::string_view(*file) == WithoutDirectory(path);
}

absl::string_view WithoutDirectory(absl::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace gprofhub::analyzer
