// ID tokens, and the claims in them: an input is one token. No issuer's key is known, so every
// token is rejected, regardless of its claims.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "collector/access/issuers.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using gprofhub::collector::CiSystem;
  // An RSA key of 2,048 bits with an unknown private half: the modulus is 2^2047 + 1.
  static const std::string key_set =
      R"({"keys":[{"kty":"RSA","kid":"one","e":"AQAB","n":"g)" + std::string(340, 'A') + R"(Q"}]})";
  static const gprofhub::collector::IdTokens tokens(
      {{"https://issuer.example",
        CiSystem::kGitHub,
        "here",
        "https://issuer.example/keys",
        {{"acme/db", "db", {"main"}}}}},
      [](const std::string&) -> absl::StatusOr<std::string> { return key_set; });
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto caller = tokens.Identify(bytes, absl::FromUnixSeconds(1'700'000'000));
  if (caller.ok() || !absl::IsUnauthenticated(caller.status())) std::abort();
  return 0;
}
