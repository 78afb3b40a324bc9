// How much of a screen a text takes.
#pragma once

#include <cstddef>

#include "absl/strings/string_view.h"

namespace gprofhub::reporter {

// What a reader sees at once.
inline constexpr size_t kScreenColumns = 120;
inline constexpr size_t kScreenLines = 25;

// The lines that `text` (UTF-8) takes where lines have `columns` characters and break between
// words; a word that is longer breaks anywhere. Empty lines count, and so do marks of Markdown: a
// reader sees no more than that. Characters beyond the Basic Multilingual Plane, such as emoji,
// take two columns.
size_t TerminalLines(absl::string_view text, size_t columns);

// The same of Markdown: the address of a link does not count; lines that are an HTML comment do
// not, either.
size_t ScreenLines(absl::string_view text, size_t columns);

}  // namespace gprofhub::reporter
