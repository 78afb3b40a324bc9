// Screen space of a text.
#pragma once

#include <cstddef>

#include "absl/strings/string_view.h"

namespace gprofhub::reporter {

// Assumed size of a screen.
inline constexpr size_t kScreenColumns = 120;
inline constexpr size_t kScreenLines = 25;

// The number of lines that `text` (UTF-8) takes if it is wrapped at `columns` characters between
// words; longer words are split. Empty lines and Markdown's marks count: this is an upper bound.
// Characters beyond the Basic Multilingual Plane, such as emoji, take two columns.
size_t TerminalLines(absl::string_view text, size_t columns);

// The same for rendered Markdown: without the addresses of links and lines that are an HTML
// comment.
size_t ScreenLines(absl::string_view text, size_t columns);

}  // namespace gprofhub::reporter
