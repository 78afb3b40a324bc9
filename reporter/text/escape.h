// What a profile says is hostile: a function's name may hold terminal escapes,
// bidi overrides, Markdown, HTML or a mention of a person. Nothing of it is
// shown but through these functions.
#pragma once

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace gprofhub::reporter {

// `text` for a terminal or a text file: characters that do not print, that
// change the direction of writing or that are invisible become "<U+202E>",
// bytes that are not UTF-8 "<0xFF>".
std::string Printable(absl::string_view text);

// The same of text in lines and pages: line feeds, form feeds and tabs stay.
std::string PrintableLines(absl::string_view text);

// `text` as Markdown code span, in which nothing is markup: as Printable, and
// backticks and backslashes become "<U+0060>", "<U+005C>". Cut in the middle to
// at most `max_characters`. With `in_table`, bars do not end the cell. An empty
// text gives an empty string.
std::string MarkdownCode(absl::string_view text, bool in_table, size_t max_characters = 120);

// `text` cut in the middle to at most `max_characters` characters of UTF-8;
// what was cut is shown as "…".
std::string Shortened(absl::string_view text, size_t max_characters);

}  // namespace gprofhub::reporter
