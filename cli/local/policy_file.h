// The repository's policy file, where a command finds it.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "reporter/policy/policy.h"

namespace gprofhub::cli {

// The file given, else the one in the working directory, else the default policy.
// NOT_FOUND for a file that cannot be read; else as ParsePolicy.
absl::StatusOr<reporter::Policy> ReadPolicyFile(const std::string& given);

}  // namespace gprofhub::cli
