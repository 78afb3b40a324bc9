// The profiles that one execution of a test left, wherever Bazel put them.
#pragma once

#include <string>
#include <vector>

#include "ci/upload/results/profile_files.h"
#include "ci/upload/results/test_events.h"

namespace gprofhub::ci {

// Reads all outputs of the execution, its recordings packed (recordings.h). Each profile has
// a name of its own. `skipped` gets a sentence for each output or profile left out: it is on
// another machine, a later build overwrote it, or it cannot be read.
std::vector<ProfileFile> CollectProfiles(const TestAttempt& attempt,
                                         std::vector<std::string>& skipped);

}  // namespace gprofhub::ci
