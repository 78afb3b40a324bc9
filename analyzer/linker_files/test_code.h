// Code that runs in tests only, and so belongs into no release's ordering.
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
  // Patterns (base/glob.h); what a function's linkage name, its name without parameters or
  // its source file matches is left out.
  std::vector<std::string> patterns;
};

// By row of profile.functions.
std::vector<bool> ExcludedFunctions(const profile::ComputedProfile& profile,
                                    const ExcludeOptions& options);

// Whether a pattern matches a name alone.
bool MatchesPattern(absl::string_view linkage_name, absl::Span<const std::string> patterns);

}  // namespace gprofhub::analyzer
