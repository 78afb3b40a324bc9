// Describes a change to readers without profiling experience: which function does more of what, how
// often, and why.
#pragma once

#include <string>

#include "proto/query.pb.h"
#include "reporter/findings/function_rows.h"
#include "reporter/rendering/row_words.h"

namespace gprofhub::reporter {

struct CauseWords {
  // "`ReadBlock` calls `Extend` twice per call, was once: 145,486 calls, were 72,743 (+100%,
  // exact)".
  std::string what;
  // The effect on the test: "about +508 ms CPU (+77%)".
  std::string share;
  // One sentence with a full stop: "`ReadBlock` runs as often as before, so the change is in its
  // own code."
  std::string why;
};

// `row` is a change. `quote` escapes and shortens a demangled name.
CauseWords WordsOfCause(const FunctionRow& row, const Quote& quote);

// The two call paths to a finding, side by side.

// The change as text, then one line per function on either path: its call site, and for each side
// the calls by the function before, calls per call of that, and its share of the test's CPU. The
// line of the change is marked. Lines have at most 120 columns, except for the text. Names are made
// printable. `color`: ANSI colours, only for a terminal.
std::string RenderExplanationText(const v1::Explanation& explanation, bool color);

}  // namespace gprofhub::reporter
