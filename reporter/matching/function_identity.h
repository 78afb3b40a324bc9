// What a function is called across builds.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace gprofhub::reporter {

// The demangled name without the lists of template arguments and parameters. These change with a
// signature. "ns::Parser::next(int) const" gives "ns::Parser::next". A name without such a list
// stays.
std::string WithoutSignature(absl::string_view demangled);

// The class or namespace: "ns::Parser" of "ns::Parser::next(int)". Empty if there is none.
std::string ScopeOf(absl::string_view demangled);

}  // namespace gprofhub::reporter
