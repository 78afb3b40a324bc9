// Decides who calls and what they may do: bearer tokens of the store, certificates that stand for
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

// As long as no token was ever created, and no CI system's ID tokens are taken, none is needed, and
// everybody may do everything; `gprofhub serve` refuses to listen beyond loopback in that state
// unless told otherwise. Safe to call from several threads.
class Authorizer {
 public:
  // Who an ID token is (collector/access/oidc/id_tokens.h). UNAUTHENTICATED if it is nobody's;
  // UNAVAILABLE if that cannot be found out now.
  using IdTokens = std::function<absl::StatusOr<Caller>(absl::string_view token, absl::Time now)>;

  // Without `id_tokens`, none are taken.
  Authorizer(store::Tokens tokens, store::AuditLog log, IdTokens id_tokens = nullptr,
             std::function<absl::Time()> now = absl::Now);

  // Who calls. A certificate counts where no token is sent.
  // UNAUTHENTICATED for an absent, malformed, unknown, revoked or expired token; the
  // store's errors. Refusals are counted. What the caller may do is asked of Permit.
  absl::StatusOr<Caller> Authenticate(const CallOrigin& call);

  // Counts a call that was refused for what its caller may do; does nothing for other errors.
  void NoteRefusal(const CallOrigin& call, const store::Actor& who, const absl::Status& why);

 private:
  absl::StatusOr<Caller> Identify(const CallOrigin& call);
  // Of the token, or of the certificate, whose `key` the store has.
  absl::StatusOr<Caller> FindToken(const CallOrigin& call, const std::string& key,
                                   absl::string_view what);
  absl::StatusOr<bool> TokenNeeded();

  const store::Tokens tokens_;
  const IdTokens id_tokens_;
  const std::function<absl::Time()> now_;
  Refusals refusals_;
  std::atomic<bool> has_tokens_ = false;  // tokens are never uncreated
  std::atomic<bool> reads_copy_ = false;  // nothing can be written
};

}  // namespace gprofhub::collector
