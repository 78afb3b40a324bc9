// Text as UTF-8 (RFC 3629): no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace gprofhub::base {

struct Utf8Character {
  size_t bytes = 0;     // 1 to 4; 0: the text begins with no character
  uint32_t number = 0;  // its code point
};

// The character that `text` begins with. An empty text begins with none.
Utf8Character FirstUtf8Character(absl::string_view text);

bool IsUtf8(absl::string_view text);

// `bytes` as text: each byte that is part of no character becomes "<0xE9>", all others
// stay. Names of symbols, files and images are bytes; wherever they become text (a string
// field of a message, a terminal, a comment), they do so in this form.
std::string ToUtf8(absl::string_view bytes);

}  // namespace gprofhub::base
