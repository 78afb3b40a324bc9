// Text from a profile or a server may be hostile: a name can contain terminal escapes or change the
// direction of writing. These functions make it safe for a terminal, a log or a text file.
#pragma once

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace gprofhub::base {

// Escapes `text` for a terminal or a text file: characters that do not print, that change the
// direction of writing or that are invisible become "<U+202E>", bytes that are not UTF-8 "<0xFF>".
std::string Printable(absl::string_view text);

// Also escapes the ASCII characters in `escaped`, as "<U+0060>".
std::string PrintableWithout(absl::string_view text, absl::string_view escaped);

// For text with lines and pages: line feeds, form feeds and tabs are kept.
std::string PrintableLines(absl::string_view text);

// `text` shortened in the middle to at most `max_characters` UTF-8 characters; "…" replaces the
// removed part.
std::string Shortened(absl::string_view text, size_t max_characters);

}  // namespace gprofhub::base
