// Makes tokens.
//
// A token is "gph_" and 256 random bits in hexadecimal. The store keeps only its SHA-256. A
// presented token is looked up by its hash, so that the response time reveals nothing about a
// partly correct guess.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "collector/access/scopes.h"
#include "store/tokens.h"

namespace gprofhub::collector {

inline constexpr absl::string_view kTokenPrefix = "gph_";
inline constexpr size_t kTokenRandomBytes = 32;
inline constexpr size_t kTokenLength = 4 + 2 * kTokenRandomBytes;

struct NewToken {
  std::string token;  // shown once, never stored; empty if a certificate is used instead
  store::TokenRecord record;
};

struct TokenOptions {
  std::string project;
  std::string label;
  Scopes scopes;
  absl::Time expires = absl::InfiniteFuture();
  // Fingerprint of a client's certificate (certificate.h) used in place of a token; empty: a text
  // token.
  std::string certificate = {};
};

// Makes a token from the kernel's random numbers. The project's name and the label are as
// ValidateProject and ValidateText allow (collector/validate.h). The store's errors;
// INVALID_ARGUMENT for no scope, or an expiry in the past; INTERNAL if the kernel gives no random
// numbers; ALREADY_EXISTS for a certificate that is, or was, already registered.
absl::StatusOr<NewToken> MakeToken(const store::Tokens& tokens, const TokenOptions& options,
                                   const store::Actor& by, absl::Time now);

// Makes a token with the same scopes and lifetime as token `id`, starting now. The old one stays
// valid for `overlap`. Errors as MakeToken and store::Tokens::Rotate.
absl::StatusOr<NewToken> RotateToken(const store::Tokens& tokens, int64_t id,
                                     absl::Duration overlap, const store::Actor& by,
                                     absl::Time now);

}  // namespace gprofhub::collector
