// Owners of findings, from the files of the working directory.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "proto/findings.pb.h"
#include "reporter/policy/policy.h"

namespace gprofhub::cli {

// The owners of a finding, by the policy and by the CODEOWNERS of the working directory. Unreadable
// files yield no owners.
std::function<std::vector<std::string>(const v1::Finding&)> OwnersHere(
    const reporter::Policy& policy);

}  // namespace gprofhub::cli
