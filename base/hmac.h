// Signatures of messages under a shared secret (RFC 2104).
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace gprofhub::base {

// HMAC-SHA256: 32 bytes.
std::string HmacSha256(absl::string_view secret, absl::string_view message);

// The same as 64 lower-case hexadecimal digits.
std::string HmacSha256Hex(absl::string_view secret, absl::string_view message);

// Constant-time comparison: the time depends on the lengths only, so that an attacker cannot guess
// a secret byte by byte.
bool EqualSecrets(absl::string_view a, absl::string_view b);

}  // namespace gprofhub::base
