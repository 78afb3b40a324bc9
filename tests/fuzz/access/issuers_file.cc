// Files for `gprofhub serve --id-tokens`. For every input, the result is a status, or issuers that
// each have an audience and a project.

#include <cstdint>
#include <cstdlib>

#include "absl/strings/string_view.h"
#include "collector/access/issuers.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto issuers = gprofhub::collector::ParseIssuers(bytes);
  if (!issuers.ok()) {
    if (issuers.status().message().empty()) std::abort();
    return 0;
  }
  if (issuers->empty()) std::abort();
  for (const auto& issuer : *issuers) {
    if (issuer.issuer.empty() || issuer.audience.empty() || issuer.projects.empty()) std::abort();
    for (const auto& one : issuer.projects) {
      if (one.repository.empty() || one.project.empty()) std::abort();
    }
  }
  return 0;
}
