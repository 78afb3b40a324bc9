#include "cli/local/owners.h"

#include "absl/status/statusor.h"
#include "base/read_file.h"
#include "reporter/policy/code_owners.h"
#include "reporter/policy/owners.h"

namespace gprofhub::cli {

std::function<std::vector<std::string>(const v1::Finding&)> OwnersHere(
    const reporter::Policy& policy) {
  reporter::CodeOwners owners;
  for (const char* path : reporter::kCodeOwnersFiles) {
    const absl::StatusOr<std::string> text = base::ReadFile(path);
    if (!text.ok()) continue;
    owners = reporter::ParseCodeOwners(*text);
    break;
  }
  return [policy, owners](const v1::Finding& finding) {
    return reporter::OwnersOf(policy, owners, finding);
  };
}

}  // namespace gprofhub::cli
