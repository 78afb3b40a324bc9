// What a function is called across builds.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace gprofhub::reporter {

// The name of a linkage name's function, without what changes with a signature: return type, lists
// of template arguments and of parameters. "int ns::Parser::next<int>(int) const" gives
// "ns::Parser::next". A name of C stays.
std::string QualifiedName(absl::string_view linkage_name);

// The class or namespace: "ns::Parser" of the above. Empty if there is none.
std::string ScopeOf(absl::string_view linkage_name);

}  // namespace gprofhub::reporter
