// The function that people mean by a name or a part of one.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "profile/computed.h"

namespace gprofhub::reporter {

// A function's name and what it is stored under: several hashes where static
// functions of one name lie in several files.
struct SeriesIdentity {
  std::string function;  // linkage name
  std::set<uint64_t> hashes;
};

// The function that `text` means among the profiles' functions: the same
// linkage name, else the same demangled name, else the same demangled name
// without parameters, else the only name with `text` as a part. Names and `text` are compared as
// Printable shows them, so that a name can be copied from a report. NOT_FOUND;
// INVALID_ARGUMENT with the candidates where several fit equally well: how many they are, how to
// narrow them down, and the likeliest. Those are first the functions whose own name, without
// namespaces and classes, is `text`; of these, first what is not in a test's files; of these, what
// costs most and is called most.
absl::StatusOr<SeriesIdentity> ResolveFunction(
    const std::vector<profile::ComputedProfile>& profiles, absl::string_view text);

// Adds the hashes that the function has in `profile`.
void AddHashes(const profile::ComputedProfile& profile, SeriesIdentity& identity);

}  // namespace gprofhub::reporter
