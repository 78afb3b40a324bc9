// Describes a change to readers without profiling experience: which function does more of what, how
// often, and why.
#pragma once

#include <string>

#include "reporter/rendering/function_rows.h"
#include "reporter/rendering/row_words.h"

namespace gprofhub::reporter {

struct CauseWords {
  // "`ReadBlock` calls `Extend` twice per call, was once: 145,486 calls, were 72,743 (+100%,
  // exact)".
  std::string what;
  // "about 16% of the test's CPU".
  std::string share;
  // One sentence with a full stop: "`ReadBlock` runs as often as before, so the change is in its
  // own code."
  std::string why;
};

// `row` is a change. `quote` escapes and shortens a demangled name.
CauseWords WordsOfCause(const FunctionRow& row, const Quote& quote);

}  // namespace gprofhub::reporter
