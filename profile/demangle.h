// Linkage names for people.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace gprofhub {

// The C++ name of an Itanium-mangled linkage name ("_Z…"), parameters included;
// any other name unchanged, as are those that are malformed, longer than 16 KiB
// or made to expand to megabytes: names may come from anybody.
std::string Demangle(absl::string_view name);

}  // namespace gprofhub
