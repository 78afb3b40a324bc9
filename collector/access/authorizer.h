// Authentication and authorization: bearer tokens of the store, client certificates in place of
// tokens, and ID tokens of CI systems.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "collector/access/caller.h"
#include "collector/access/refusals.h"
#include "store/audit_log.h"
#include "store/tokens.h"

namespace gprofhub::collector {

// Until the first token is created, and unless ID tokens of a CI system are accepted, every caller
// is anonymous and has all rights; `gprofhub serve` refuses to listen beyond loopback in that state
// unless --allow-anonymous is given. Thread-safe.
class Authorizer {
 public:
  // Verifies an ID token and returns its principal (collector/access/oidc/id_tokens.h).
  // UNAUTHENTICATED if it is not valid; UNAVAILABLE if it cannot be verified now.
  using IdTokens = std::function<absl::StatusOr<Caller>(absl::string_view token, absl::Time now)>;

  // Without `id_tokens`, ID tokens are refused.
  Authorizer(store::Tokens tokens, store::AuditLog log, IdTokens id_tokens = nullptr,
             std::function<absl::Time()> now = absl::Now);

  // Authenticates the caller. A certificate is used only if no token is sent. UNAUTHENTICATED for
  // an absent, malformed, unknown, revoked or expired token; the store's errors. Refusals are
  // counted. Permit decides what the caller may do.
  absl::StatusOr<Caller> Authenticate(const CallOrigin& call);

  // Counts a call that was refused for lack of permission; does nothing for other errors.
  void NoteRefusal(const CallOrigin& call, const store::Actor& who, const absl::Status& why);

 private:
  absl::StatusOr<Caller> Identify(const CallOrigin& call);
  // Looks up the token, or the certificate, by its `key` in the store.
  absl::StatusOr<Caller> FindToken(const CallOrigin& call, const std::string& key,
                                   absl::string_view what);
  absl::StatusOr<bool> TokenNeeded();

  const store::Tokens tokens_;
  const IdTokens id_tokens_;
  const std::function<absl::Time()> now_;
  Refusals refusals_;
  std::atomic<bool> has_tokens_ = false;  // never becomes false again
  std::atomic<bool> reads_copy_ = false;  // the database is a read replica
};

}  // namespace gprofhub::collector
