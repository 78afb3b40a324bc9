// JSON Web Key Sets. For every input, the result is a status, or usable keys.

#include <cstdint>
#include <cstdlib>

#include "absl/strings/match.h"
#include "collector/access/verify_token.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto keys = gprofhub::collector::ParseSigningKeys(bytes);
  if (!keys.ok()) return 0;
  if (keys->empty() || keys->size() > 100) std::abort();
  for (const auto& [id, key] : *keys) {
    if (id.empty() || (key.algorithm != "RS256" && key.algorithm != "ES256")) std::abort();
    if (!absl::StartsWith(key.pem, "-----BEGIN PUBLIC KEY-----")) std::abort();
  }
  return 0;
}
