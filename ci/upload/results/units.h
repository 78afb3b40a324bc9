// Measured units of one test attempt: the test itself, or each of its cases (cases.h).
#pragma once

#include <vector>

#include "ci/upload/results/profile_files.h"
#include "ci/upload/results/test_attempt.h"

namespace gprofhub::ci {

struct MeasuredUnit {
  TestAttempt attempt;  // its label is the unit's target
  std::vector<ProfileFile> profiles;
};

// In the order of the cases' names. Never empty: without a profile it is the test.
std::vector<MeasuredUnit> UnitsOf(const TestAttempt& attempt, std::vector<ProfileFile> profiles);

}  // namespace gprofhub::ci
