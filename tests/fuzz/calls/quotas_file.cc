// Files for `gprofhub serve --quotas`. For every input, the result is a status with a message, or
// valid quotas.

#include <cstdint>
#include <cstdlib>

#include "absl/strings/string_view.h"
#include "collector/quotas.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto file = gprofhub::collector::ParseQuotas(bytes);
  if (!file.ok()) {
    if (file.status().message().empty()) std::abort();
    return 0;
  }
  for (const auto& [project, quota] : file->projects) {
    if (file->Of(project) != quota || quota.calls_per_minute > uint64_t{1} << 50) std::abort();
  }
  return 0;
}
