// Who is asked about a finding.
#pragma once

#include <string>
#include <vector>

#include "proto/findings.pb.h"
#include "reporter/policy/code_owners.h"
#include "reporter/policy/policy.h"

namespace gprofhub::reporter {

// The owners of the first rule of policy.owners to which the finding belongs. If there is none,
// those of the file where its change began, by CODEOWNERS. May be empty. Nothing in it may reach a
// page unescaped.
std::vector<std::string> OwnersOf(const Policy& policy, const CodeOwners& code_owners,
                                  const v1::Finding& finding);

}  // namespace gprofhub::reporter
