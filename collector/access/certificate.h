// Client certificates in place of tokens, for clients that support TLS client authentication but
// cannot send a token (Bazel 4: --tls_client_certificate).
//
// The TLS handshake validates the certificate: issuer, validity period and possession of the key.
// This file only identifies it, by the SHA-256 of its bytes.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gprofhub::collector {

// The SHA-256 of the first certificate's bytes (DER), 64 lower-case hexadecimal digits.
// INVALID_ARGUMENT if `pem` has no certificate.
absl::StatusOr<std::string> FingerprintOf(absl::string_view pem);

// Parses a fingerprint as `openssl x509 -noout -fingerprint -sha256` prints it after "=", with or
// without colons, in upper or lower case. INVALID_ARGUMENT.
absl::StatusOr<std::string> ParseFingerprint(absl::string_view text);

// Key of a certificate's token in the store, in place of a token's hash. It is the hash of a text
// that cannot be sent as a token.
std::string CertificateKey(absl::string_view fingerprint);

}  // namespace gprofhub::collector
