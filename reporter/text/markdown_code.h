// Names as Markdown. What a profile says is hostile: a name may hold Markdown, HTML or a mention of
// a person.
#pragma once

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace gprofhub::reporter {

// `text` as a Markdown code span. Nothing in it is markup. It is shown as by base::Printable.
// Backticks and backslashes become "<U+0060>" and "<U+005C>". A text of more than `max_characters`
// is cut in the middle. With `in_table`, bars do not end the cell. An empty text gives an empty
// string.
std::string MarkdownCode(absl::string_view text, bool in_table, size_t max_characters = 120);

}  // namespace gprofhub::reporter
