// Names as Markdown. What a profile says is hostile: a name may hold Markdown, HTML or a mention of
// a person.
#pragma once

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace gprofhub::reporter {

// `text` as Markdown code span, in which nothing is markup: as base::Printable, and
// backticks and backslashes become "<U+0060>", "<U+005C>". Cut in the middle to
// at most `max_characters`. With `in_table`, bars do not end the cell. An empty
// text gives an empty string.
std::string MarkdownCode(absl::string_view text, bool in_table, size_t max_characters = 120);

}  // namespace gprofhub::reporter
