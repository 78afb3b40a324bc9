// Text of findings: names, numbers, units and lines that fit a screen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "profile/names.h"

namespace gprofhub::reporter {

// Display of function names.

// A demangled name in base::Printable's form, of at most 60 characters, longer ones shortened
// (profile::ShortName). "a → b", as the label of a toolchain, has that number on each side.
std::string FunctionName(absl::string_view display);

// The same as a code span of Markdown (MarkdownCode).
std::string FunctionCode(absl::string_view display, bool in_table);

// Names as Markdown code. Names from profiles are untrusted: they may contain Markdown, HTML or
// mentions of people.

// `text` as a Markdown code span without any markup, in base::Printable's form. Backticks and
// backslashes become "<U+0060>" and "<U+005C>". A text of more than `max_characters` is shortened
// in the middle. With `in_table`, bars are escaped. Empty for an empty text.
std::string MarkdownCode(absl::string_view text, bool in_table, size_t max_characters = 120);

// The longest note: two lines of a screen.
inline constexpr size_t kNoteCharacters = 220;

// The first sentences and clauses of `text` that have at most `max_characters` together; later ones
// are left out. A first clause that is too long, as one with a hostile name, is cut between words.
std::string FirstClauses(absl::string_view text, size_t max_characters = kNoteCharacters);

// Number formats for people.

// The sign of negative numbers.
inline constexpr absl::string_view kMinus = "−";

// 239477 → "239,477"; a fractional count per execution → "1.5".
std::string HumanCount(double count);

// 0.0123 → "12.3 ms", 75.2 → "75.2 s". For another dimension than "seconds": the number and the
// dimension, made printable.
std::string HumanTime(double value, absl::string_view dimension);

// Of a difference: 0.508 → "+508 ms", -0.02 → "−20 ms".
std::string HumanChange(double seconds);

// 53.9 → "+54%", -0.4 → "−0.4%", 912.3 → "×10.1" from a factor of ten on; near 0 → "below +0.1%" or
// "above −0.1%".
std::string HumanEffect(double percent);

// Calls per call: "once", "twice", "156×"; "once in 45,000" where they are seldom.
std::string HumanRate(double each);
// The same for columns: "1×", "156×", "1/45,000".
std::string RateInColumn(double each);

// 0.0321 → "3.2%"; below one in a thousand → "<0.1%".
std::string HumanShare(double share);

// Screen space of a text.

// Assumed size of a screen.
inline constexpr size_t kScreenColumns = 120;
inline constexpr size_t kScreenLines = 25;

// The columns that `text` (UTF-8) takes. Characters beyond the Basic Multilingual Plane, such as
// emoji, take two.
size_t TextColumns(absl::string_view text);

// `text` with blanks in front of it, or behind it, to that number of columns.
std::string RightAligned(absl::string_view text, size_t columns);
std::string LeftAligned(absl::string_view text, size_t columns);

// The number of lines that `text` (UTF-8) takes if it is wrapped at `columns` characters between
// words; longer words are split. Empty lines and Markdown's marks count: this is an upper bound.
size_t TerminalLines(absl::string_view text, size_t columns);

// The same for rendered Markdown: without the addresses of links and lines that are an HTML
// comment.
size_t ScreenLines(absl::string_view text, size_t columns);

// The units of counts: most are calls, but quantities are bytes, times or events
// (profile/names.h).

// Column title of such counts: "calls", "bytes", "time", "events".
absl::string_view ColumnOfCounts(profile::CountUnit unit);

// The value in such a column: "9,303", or, for a time, "750 ms".
std::string CountInColumn(double count, profile::CountUnit unit);

// "9,303 calls", "1 byte", "750 ms".
std::string CountInUnit(double count, profile::CountUnit unit);

}  // namespace gprofhub::reporter
