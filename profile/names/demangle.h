// Demangles linkage names for people.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace gprofhub::profile {

// The compiler whose names are recognised. kAuto: Rust's and C++'s, for any compiler; the others
// only those of one language.
enum class DemanglingStyle { kAuto, kGnuV3, kJava, kGnat, kDlang, kRust };

// The name as GNU's tools print it in a style: with parameters, and with leading '.' and '$' and
// the part after '@' (a symbol's version) unchanged. Names are untrusted. Malformed ones are
// unchanged, and so are those that cannot be demangled within about a microsecond for each byte,
// which compilers do not generate: text that grows exponentially with the name, C++ names of more
// than 1,024 bytes, D's and Rust's of more than 16 KiB.
std::string Demangle(absl::string_view name, DemanglingStyle style = DemanglingStyle::kAuto);

// The same in the style kAuto, but for a C++ function without parameters, return type and clone
// suffix, as perf prints it: several functions may share the text.
std::string DemangleWithoutParameters(absl::string_view name);

}  // namespace gprofhub::profile
