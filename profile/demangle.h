// Demangles linkage names for people.
#pragma once

#include <cstdint>
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

// A 32-bit hash of a linkage name.

// FNV-1a. It is stored, so it never changes. Collisions within a program are rare but possible:
// decisions based on the hash alone must tolerate them.
inline uint32_t NameHash(absl::string_view name) {
  uint32_t hash = 2166136261u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

// A function's name across builds: its linkage name without its signature.

// The qualified name of a linkage name's function, without the parts that change with a signature:
// return type, lists of template arguments and of parameters. "int ns::Parser::next<int>(int)
// const" gives "ns::Parser::next". A C name stays.
std::string QualifiedName(absl::string_view linkage_name);

// The class or namespace: "ns::Parser" in this example. Empty if there is none.
std::string ScopeOf(absl::string_view linkage_name);

// The rest of the qualified name: "next". gcc's debug information has no more than this for a
// function with internal linkage.
std::string LocalName(absl::string_view linkage_name);

// A compiler's identification as one short line, to compare two builds.

// "gcc 12.2.0 -O2 -march=x86-64" from DW_AT_producer or a string of .comment: compiler, version,
// and the options that may change the code, sorted, each in its last form. If options are recorded
// at all, one is -O. Options about diagnostics, debug information and profiling are left out, and
// so are paths. Printable ASCII, at most 300 bytes. Empty: unknown.
std::string ToolchainName(absl::string_view producer);

}  // namespace gprofhub::profile
