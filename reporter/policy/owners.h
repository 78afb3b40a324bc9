// Owners of a finding.
#pragma once

#include <string>
#include <vector>

#include "proto/findings.pb.h"
#include "reporter/policy/code_owners.h"
#include "reporter/policy/policy.h"

namespace gprofhub::reporter {

// The owners of the first rule of policy.owners that matches the finding; otherwise the CODEOWNERS
// of the file where its change began. May be empty. Owners must be escaped before display.
std::vector<std::string> OwnersOf(const Policy& policy, const CodeOwners& code_owners,
                                  const v1::Finding& finding);

}  // namespace gprofhub::reporter
