// Who may send to, and read from, a project: bearer tokens, one project each.
//
// A token is "gph_" and 256 random bits in hexadecimal. The store keeps only its
// SHA-256; a presented token is looked up by its hash, so that how long the
// answer takes says nothing about how much of a guess was right.
#pragma once

#include <atomic>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "store/tokens.h"

namespace gprofhub::collector {

struct NewToken {
  std::string token;  // shown once, never stored
  store::TokenRecord record;
};

// Makes a token for `project` from the kernel's random numbers. The store's
// errors; INVALID_ARGUMENT for a project name or label that is not allowed;
// INTERNAL if the kernel gives no random numbers.
absl::StatusOr<NewToken> MakeToken(const store::Tokens& tokens, absl::string_view project,
                                   absl::string_view label, absl::Time now);

// Decides whether a call may touch a project. As long as no token was ever
// created none is needed; `gprofhub serve` refuses to listen beyond loopback in
// that state unless told otherwise. Safe to call from several threads.
class Authorizer {
 public:
  explicit Authorizer(store::Tokens tokens) : tokens_(std::move(tokens)) {}

  // Whether the caller is listened to at all, before any message is read: the project that the
  // token belongs to; empty as long as no token is needed. `authorization` is the value of the
  // call's "authorization" metadata, "Bearer gph_…", or empty. UNAUTHENTICATED for an absent,
  // malformed, unknown or revoked token; the store's errors.
  absl::StatusOr<std::string> Admit(absl::string_view authorization);

  // `authorization` as above. UNAUTHENTICATED for an absent, malformed, unknown
  // or revoked token; PERMISSION_DENIED for a token of another project; the
  // store's errors.
  absl::Status Authorize(absl::string_view authorization, absl::string_view project);

 private:
  absl::StatusOr<bool> TokenNeeded();

  const store::Tokens tokens_;
  std::atomic<bool> has_tokens_ = false;  // tokens are never uncreated
};

}  // namespace gprofhub::collector
