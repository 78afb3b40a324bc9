#include "reporter/policy/owners.h"

#include <algorithm>

#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/glob.h"

namespace gprofhub::reporter {
namespace {

bool BelongsTo(const OwnerRule& rule, const v1::Finding& finding, absl::string_view file) {
  const bool file_fits =
      rule.files.empty() ||
      std::any_of(rule.files.begin(), rule.files.end(), [&](const std::string& pattern) {
        return !file.empty() && OwnerPatternMatches(pattern, file);
      });
  const bool function_fits =
      rule.functions.empty() ||
      std::any_of(rule.functions.begin(), rule.functions.end(), [&](const std::string& glob) {
        return base::GlobMatches(glob, finding.function()) ||
               base::GlobMatches(glob, finding.function_display());
      });
  return file_fits && function_fits;
}

}  // namespace

std::vector<std::string> OwnersOf(const Policy& policy, const CodeOwners& code_owners,
                                  const v1::Finding& finding) {
  absl::string_view file = finding.site().file();
  absl::ConsumePrefix(&file, "./");
  for (const OwnerRule& rule : policy.owners) {
    if (BelongsTo(rule, finding, file)) return rule.owners;
  }
  if (file.empty()) return {};
  return OwnersOfFile(code_owners, file);
}

}  // namespace gprofhub::reporter
