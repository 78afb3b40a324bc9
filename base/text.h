// Text from outside: UTF-8, percent-encoding, and what may be shown on a terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace gprofhub::base {

// Text from a profile or a server may be hostile: a name can contain terminal escapes or change the
// direction of writing. These functions make it safe for a terminal, a log or a text file.

// Escapes `text` for a terminal or a text file: characters that do not print, that change the
// direction of writing or that are invisible become "<U+202E>", bytes that are not UTF-8 "<0xFF>".
std::string Printable(absl::string_view text);

// Also escapes the ASCII characters in `escaped`, as "<U+0060>".
std::string PrintableWithout(absl::string_view text, absl::string_view escaped);

// For text with lines and pages: line feeds, form feeds and tabs are kept.
std::string PrintableLines(absl::string_view text);

// "https://host/path" of "https://host/path//".
absl::string_view WithoutTrailingSlashes(absl::string_view url);

// `text` shortened to at most `max_characters` UTF-8 characters; "…" replaces the removed part. Of
// a path or a label of Bazel, directories are removed: "//compiler/…:parser_test",
// "…/parser.cc:12". Other text, and a path whose last component is too long, is cut in the middle:
// between words, or between the parts of one that is longer than a quarter of the result.
std::string Shortened(absl::string_view text, size_t max_characters);

// Of `known`, the name that `text` most likely is a misspelling or an abbreviation of; empty if
// none is close. Upper and lower case are equal. Long texts have no suggestion.
std::string Closest(absl::string_view text, const std::vector<std::string>& known);

// Text as UTF-8 (RFC 3629): no overlong forms, no surrogates, nothing above U+10FFFF.

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
