// The public keys of an issuer of ID tokens: a JSON Web Key Set (RFC 7517).
#pragma once

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gprofhub::collector {

struct SigningKey {
  std::string algorithm;  // "RS256" or "ES256": the key's, never the token's
  std::string pem;        // SubjectPublicKeyInfo
};

using SigningKeys = std::map<std::string, SigningKey>;  // by key id

inline constexpr size_t kMaxKeySetBytes = 256 << 10;

// The set's RSA keys of 2,048 to 8,192 bits and its P-256 keys, if they are for signing and have an
// id. Other keys are skipped. INVALID_ARGUMENT if the text is not a key set, is too long, has more
// than 100 keys, or has no usable key.
absl::StatusOr<SigningKeys> ParseSigningKeys(absl::string_view json);

}  // namespace gprofhub::collector
