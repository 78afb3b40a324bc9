// Commands that people write into comments:
//
//   /gprofhub ack FUNCTION reason…
//   /gprofhub not-a-regression FUNCTION reason…
//   /gprofhub rerun
//
// on a line of their own. A name with blanks stands in backquotes.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace gprofhub::reporter {

struct AckCommand {
  std::string function;
  std::string reason;
  bool not_a_regression = false;
};

// The commands of a comment's body, in order. Lines that begin with "/gprofhub"
// and are none (without a reason, for example) are passed over, as are those
// that quote somebody ("> …").
std::vector<AckCommand> ParseAckCommands(absl::string_view body);

// Whether a line of the body asks for the tests to be run again. More words may follow.
bool AsksForRerun(absl::string_view body);

}  // namespace gprofhub::reporter
