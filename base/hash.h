// Hashes, signatures and random bytes.
#pragma once

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gprofhub::base {

// Signatures of messages under a shared secret (RFC 2104).

// HMAC-SHA256: 32 bytes.
std::string HmacSha256(absl::string_view secret, absl::string_view message);

// The same as 64 lower-case hexadecimal digits.
std::string HmacSha256Hex(absl::string_view secret, absl::string_view message);

// Constant-time comparison: the time depends on the lengths only, so that an attacker cannot guess
// a secret byte by byte.
bool EqualSecrets(absl::string_view a, absl::string_view b);

// SHA-256, which names blobs and images by their content.

inline constexpr size_t kSha256Digits = 64;

// kSha256Digits lower-case hexadecimal digits.
std::string Sha256Hex(absl::string_view bytes);

// Whether all characters are lower-case hexadecimal digits.
bool IsLowerHex(absl::string_view text);

// Whether `text` has the form of Sha256Hex's results.
bool IsSha256Hex(absl::string_view text);

// Whether `text` is the full hash of a git commit: SHA-1 or SHA-256, in lower case.
bool IsCommitHash(absl::string_view text);

// Cryptographically secure random numbers from the kernel.

// `count` bytes, at most 256: getrandom never returns fewer of up to 256. INTERNAL if it fails.
absl::StatusOr<std::string> RandomBytes(size_t count);

}  // namespace gprofhub::base
