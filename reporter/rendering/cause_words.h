// A change in the words of somebody who never saw a profile: who does what more often, how often,
// and why that is so.
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
  // One sentence: "`ReadBlock` runs as often as before, so the change is in its own code." It ends
  // with a full stop.
  std::string why;
};

// `row` is of a change. `quote` makes a demangled name safe and short.
CauseWords WordsOfCause(const FunctionRow& row, const Quote& quote);

}  // namespace gprofhub::reporter
