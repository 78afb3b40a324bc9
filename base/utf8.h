// Text as UTF-8 (RFC 3629): no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace gprofhub::base {

struct Utf8Character {
  size_t bytes = 0;     // length, 1 to 4; 0: not a valid character
  uint32_t number = 0;  // code point
};

// The first character of `text`; invalid for an empty text.
Utf8Character FirstUtf8Character(absl::string_view text);

bool IsUtf8(absl::string_view text);

// `bytes` as valid UTF-8: each byte that is not part of a character becomes "<0xE9>", all others
// stay. Names of symbols, files and images are bytes; wherever they become text (a string field of
// a message, a terminal, a comment), this function converts them.
std::string ToUtf8(absl::string_view bytes);

}  // namespace gprofhub::base
