// Commands in comments:
//
//   /gprofhub ack FUNCTION reason…
//   /gprofhub not-a-regression FUNCTION reason…
//   /gprofhub rerun
//
// on a line of their own. A name with blanks is enclosed in backquotes.
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

// The commands of a comment's body, in order. Malformed lines that begin with "/gprofhub" (without
// a reason, for example) and quoted lines ("> …") are ignored.
std::vector<AckCommand> ParseAckCommands(absl::string_view body);

// Whether a line of the body requests a rerun of the tests. More words may follow.
bool AsksForRerun(absl::string_view body);

}  // namespace gprofhub::reporter
