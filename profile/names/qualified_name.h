// What a function is called across builds: its linkage name without its signature.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace gprofhub::profile {

// The name of a linkage name's function, without what changes with a signature: return type, lists
// of template arguments and of parameters. "int ns::Parser::next<int>(int) const" gives
// "ns::Parser::next". A name of C stays.
std::string QualifiedName(absl::string_view linkage_name);

// The class or namespace: "ns::Parser" of the above. Empty if there is none.
std::string ScopeOf(absl::string_view linkage_name);

// What is left of the qualified name then: "next". Debug information says no more of what one file
// alone sees, if gcc wrote it.
std::string LocalName(absl::string_view linkage_name);

}  // namespace gprofhub::profile
