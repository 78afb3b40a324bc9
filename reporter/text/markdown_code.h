// Names as Markdown code. Names from profiles are untrusted: they may contain Markdown, HTML or
// mentions of people.
#pragma once

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace gprofhub::reporter {

// `text` as a Markdown code span without any markup, in base::Printable's form. Backticks and
// backslashes become "<U+0060>" and "<U+005C>". A text of more than `max_characters` is shortened
// in the middle. With `in_table`, bars are escaped. Empty for an empty text.
std::string MarkdownCode(absl::string_view text, bool in_table, size_t max_characters = 120);

}  // namespace gprofhub::reporter
