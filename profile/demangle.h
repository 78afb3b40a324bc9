// Linkage names for people.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace gprofhub {

// The C++ name of an Itanium-mangled linkage name ("_Z…"), parameters included;
// any other name, and one that is malformed or longer than 16 KiB, unchanged.
std::string Demangle(absl::string_view name);

}  // namespace gprofhub
