// What a function is called across builds.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace gprofhub::reporter {

// The demangled name without template arguments' and parameters' lists, which
// change with a signature: "ns::Parser::next" of "ns::Parser::next(int) const".
// `demangled` itself where it has no such list.
std::string WithoutSignature(absl::string_view demangled);

// "ns::Parser" of "ns::Parser::next(int)"; empty for a function of no class or
// namespace.
std::string ScopeOf(absl::string_view demangled);

}  // namespace gprofhub::reporter
