// Modification times of files.
#pragma once

#include <cstdint>
#include <string>

#include "ci/upload/results/test_attempt.h"

namespace gprofhub::ci {

// Unix time in milliseconds; 0 if unknown.
int64_t WrittenUnixMs(const std::string& path);

// Whether the file was written after the attempt's build had ended, so that it belongs to another
// build.
bool IsOfLaterBuild(const TestAttempt& attempt, const std::string& path);

}  // namespace gprofhub::ci
