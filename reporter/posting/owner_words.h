// Owners in a comment: named, and called only where they are needed.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace gprofhub::reporter {

enum class OwnerStyle {
  kText,      // plain text: "acme/parsers"
  kMarkdown,  // a code span, which notifies nobody: "`acme/parsers`"
  kMention,   // "@acme/parsers", which notifies them; as kMarkdown what cannot be mentioned
};

// "`acme/parsers`, `ada` and 2 more"; empty if there are none. Whatever an owner's name
// holds, it is no markup and mentions nobody else.
std::string OwnerList(const std::vector<std::string>& owners, OwnerStyle style);

// Whether a forge takes "@name" or "@group/name" for a person or a group, and not for everybody.
bool CanBeMentioned(absl::string_view owner);

}  // namespace gprofhub::reporter
