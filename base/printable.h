// What a profile or a server says may be hostile: a name may hold terminal escapes or turn the
// direction of writing. A terminal, a log or a text file gets it through these functions only.
#pragma once

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace gprofhub::base {

// `text` for a terminal or a text file: characters that do not print, that
// change the direction of writing or that are invisible become "<U+202E>",
// bytes that are not UTF-8 "<0xFF>".
std::string Printable(absl::string_view text);

// The same; of ASCII, the characters in `escaped` are shown as "<U+0060>", too.
std::string PrintableWithout(absl::string_view text, absl::string_view escaped);

// The same of text in lines and pages: line feeds, form feeds and tabs stay.
std::string PrintableLines(absl::string_view text);

// `text` cut in the middle to at most `max_characters` characters of UTF-8;
// what was cut is shown as "…".
std::string Shortened(absl::string_view text, size_t max_characters);

}  // namespace gprofhub::base
