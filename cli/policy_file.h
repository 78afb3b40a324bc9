// The repository's policy file, where a command finds it.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "reporter/gate/policy.h"

namespace gprofhub {

// The file given, else the one in the working directory, else the default policy.
// NOT_FOUND for a file that cannot be read; else as ParsePolicy.
absl::StatusOr<Policy> ReadPolicyFile(const std::string& given);

}  // namespace gprofhub
