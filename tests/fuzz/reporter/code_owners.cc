// CODEOWNERS files. For every input, an owner is a short word without blanks or markup, and a path
// has the same owners twice.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "reporter/gate/policy.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  const gprofhub::reporter::CodeOwners owners = gprofhub::reporter::ParseCodeOwners(text);
  const std::string own(text.substr(0, 200));  // as a path, too
  for (const std::string& path : {std::string("a/b/c.cc"), std::string("README"), own}) {
    const std::vector<std::string> found = gprofhub::reporter::OwnersOfFile(owners, path);
    if (found != gprofhub::reporter::OwnersOfFile(owners, path)) std::abort();
    for (const std::string& owner : found) {
      if (owner.size() < 2 || owner.size() > 100 || !absl::StrContains(owner, "@")) std::abort();
      for (const char c : owner) {
        if (!absl::ascii_isalnum(c) && !absl::StrContains("@/._+-", c)) std::abort();
      }
    }
  }
  return 0;
}
