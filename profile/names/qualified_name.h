// A function's name across builds: its linkage name without its signature.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace gprofhub::profile {

// The qualified name of a linkage name's function, without the parts that change with a signature:
// return type, lists of template arguments and of parameters. "int ns::Parser::next<int>(int)
// const" gives "ns::Parser::next". A C name stays.
std::string QualifiedName(absl::string_view linkage_name);

// The class or namespace: "ns::Parser" in this example. Empty if there is none.
std::string ScopeOf(absl::string_view linkage_name);

// The rest of the qualified name: "next". gcc's debug information has no more than this for a
// function with internal linkage.
std::string LocalName(absl::string_view linkage_name);

}  // namespace gprofhub::profile
