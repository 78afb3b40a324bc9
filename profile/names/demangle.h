// Linkage names for people.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace gprofhub::profile {

// Which compiler's names are recognised. kAuto: Rust's and C++'s, whatever the
// compiler; the others only those of one language.
enum class DemanglingStyle { kAuto, kGnuV3, kJava, kGnat, kDlang, kRust };

// The name as GNU's tools print it in a style: parameters included, leading '.'
// and '$' and what follows an '@' (a symbol's version) left in place.
// Names may come from anybody. Those that are malformed are unchanged, and so
// are those that cannot be demangled within about a microsecond for each byte,
// which no compiler makes: text that grows exponentially with the name, C++
// names of more than 1,024 bytes, D's and Rust's of more than 16 KiB.
std::string Demangle(absl::string_view name, DemanglingStyle style = DemanglingStyle::kAuto);

// The same in the style kAuto, but a C++ function without its parameters, return type
// and clone's ending, as perf prints it: several functions may share the text.
std::string DemangleWithoutParameters(absl::string_view name);

}  // namespace gprofhub::profile
