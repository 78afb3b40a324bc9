// Resolves a function by its name or a part of it.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "profile/computed.h"

namespace gprofhub::reporter {

// A function's name and the hashes that it is stored under: several if static functions of one name
// lie in several files.
struct SeriesIdentity {
  std::string function;  // linkage name
  std::set<uint64_t> hashes;
};

// The function that `text` matches among the profiles' functions: by linkage name, else by
// demangled name, else by demangled name without parameters, else the only name that contains
// `text`. Names and `text` are compared in Printable's form, so that a name can be copied from a
// report. NOT_FOUND, or INVALID_ARGUMENT if several match equally well, with their number, a way to
// narrow them down, and the likeliest candidates: first functions whose unqualified name is `text`,
// then those outside of test files, then by cost and calls.
absl::StatusOr<SeriesIdentity> ResolveFunction(
    const std::vector<profile::ComputedProfile>& profiles, absl::string_view text);

// Adds the function's hashes in `profile`.
void AddHashes(const profile::ComputedProfile& profile, SeriesIdentity& identity);

}  // namespace gprofhub::reporter
