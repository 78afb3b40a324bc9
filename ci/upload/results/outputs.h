// Collects the profiles of one test execution, from all places where Bazel puts outputs.
#pragma once

#include <string>
#include <vector>

#include "ci/upload/results/profile_files.h"
#include "ci/upload/results/test_events.h"

namespace gprofhub::ci {

// Reads all outputs of the execution and packs its recordings (recordings.h). Profiles' names are
// unique. Appends a sentence to `skipped` for each skipped output or profile: it is on another
// machine, a later build overwrote it, or it cannot be read.
std::vector<ProfileFile> CollectProfiles(const TestAttempt& attempt,
                                         std::vector<std::string>& skipped);

}  // namespace gprofhub::ci
