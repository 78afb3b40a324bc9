// Detects code that only runs in tests, which an ordering for a release must not contain.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "profile/computed.h"

namespace gprofhub::analyzer {

struct ExcludeOptions {
  // Test frameworks (GoogleTest, Catch, doctest, Boost.Test) and the functions of
  // source files named *_test.*, *_tests.* or *_unittest.*.
  bool tests = true;
  // Patterns (base/glob.h); functions are omitted if their linkage name, their name without
  // parameters or their source file matches.
  std::vector<std::string> patterns;
};

// By row of profile.functions.
std::vector<bool> ExcludedFunctions(const profile::ComputedProfile& profile,
                                    const ExcludeOptions& options);

// Whether a pattern matches a name alone.
bool MatchesPattern(absl::string_view linkage_name, absl::Span<const std::string> patterns);

}  // namespace gprofhub::analyzer
