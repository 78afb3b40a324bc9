// Owners in a comment: listed, and mentioned only if they are needed.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace gprofhub::reporter {

enum class OwnerStyle {
  kText,      // plain text: "acme/parsers"
  kMarkdown,  // a code span, which does not notify: "`acme/parsers`"
  kMention,   // "@acme/parsers", which notifies; otherwise like kMarkdown
};

// "`acme/parsers`, `ada` and 2 more"; empty without owners. Names are escaped: they cannot become
// markup or mention other people.
std::string OwnerList(const std::vector<std::string>& owners, OwnerStyle style);

// Whether "@name" or "@group/name" is a mention of one person or group, not of everyone.
bool CanBeMentioned(absl::string_view owner);

}  // namespace gprofhub::reporter
