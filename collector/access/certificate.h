// A client's certificate in the place of a token, for clients that can show one and send no token
// (Bazel 4: --tls_client_certificate).
//
// Whether a certificate is good, the TLS handshake decides: it is of an authority that the server
// takes, in its time, and the client has its key. Here it is only told apart from others, by the
// SHA-256 of its bytes.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gprofhub::collector {

// The SHA-256 of the first certificate's bytes (DER), 64 lower-case hexadecimal digits.
// INVALID_ARGUMENT if there is none.
absl::StatusOr<std::string> FingerprintOf(absl::string_view pem);

// A fingerprint as people have it: with colons or without, in any case; `openssl x509 -noout
// -fingerprint -sha256` prints it after "=". INVALID_ARGUMENT.
absl::StatusOr<std::string> ParseFingerprint(absl::string_view text);

// What the store keeps a certificate's token under, in the place of a token's hash. It is the hash
// of a text that no client can send as a token.
std::string CertificateKey(absl::string_view fingerprint);

}  // namespace gprofhub::collector
