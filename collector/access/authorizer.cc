#include "collector/access/authorizer.h"

#include <spdlog/spdlog.h>

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/sha256.h"
#include "collector/access/certificate.h"
#include "collector/access/make_token.h"

namespace gprofhub::collector {
namespace {

// Name of a token's principal in acknowledgements and in the audit log. The number distinguishes
// tokens with the same label.
std::string ActorName(const store::TokenRecord& record) {
  if (record.label.empty()) return absl::StrCat("token ", record.id);
  return absl::StrCat(record.label, " (token ", record.id, ")");
}

}  // namespace

Authorizer::Authorizer(store::Tokens tokens, store::AuditLog log, IdTokens id_tokens,
                       std::function<absl::Time()> now)
    : tokens_(std::move(tokens)),
      id_tokens_(std::move(id_tokens)),
      now_(std::move(now)),
      refusals_(std::move(log), now_) {}

absl::StatusOr<bool> Authorizer::TokenNeeded() {
  if (id_tokens_ != nullptr || has_tokens_.load(std::memory_order_relaxed)) return true;
  absl::StatusOr<bool> has_tokens = tokens_.WereCreated();
  if (has_tokens.ok() && *has_tokens) has_tokens_.store(true, std::memory_order_relaxed);
  return has_tokens;
}

absl::StatusOr<Caller> Authorizer::FindToken(const CallOrigin& call, const std::string& key,
                                             absl::string_view what) {
  const absl::StatusOr<store::TokenRecord> record = tokens_.Find(key);
  if (absl::IsNotFound(record.status())) {
    return absl::UnauthenticatedError(absl::StrCat(what, " is unknown or revoked"));
  }
  if (!record.ok()) return record.status();
  const absl::Time now = now_();
  if (record->expires <= now) {
    return absl::UnauthenticatedError(absl::StrCat(
        what, " expired at ",
        absl::FormatTime(absl::RFC3339_sec, record->expires, absl::UTCTimeZone()),
        record->replaced_by == 0 ? ": make a new one with `gprofhub token create`"
                                 : ": it was rotated, use the one that took its place"));
  }
  absl::StatusOr<Scopes> scopes = Scopes::Parse(record->scopes);
  if (!scopes.ok()) return absl::DataLossError(scopes.status().message());
  if (record->last_used <= now - store::kTokenUseGrain && !reads_copy_) {
    const absl::Status kept = tokens_.KeepUse(record->id, now);
    if (absl::IsFailedPrecondition(kept)) {
      reads_copy_ = true;  // a read replica: nothing can be written
    } else if (!kept.ok()) {
      // Not a reason to refuse the call.
      spdlog::warn("the use of token {} cannot be kept: {}", record->id, kept.ToString());
    }
  }
  Caller caller;
  caller.project = record->project;
  caller.scopes = *scopes;
  caller.actor = {ActorName(*record), call.peer, record->id};
  return caller;
}

absl::StatusOr<Caller> Authorizer::Identify(const CallOrigin& call) {
  const absl::StatusOr<bool> needed = TokenNeeded();
  if (!needed.ok()) return needed.status();
  if (!*needed) {
    Caller anybody;
    anybody.anonymous = true;
    anybody.scopes = Scopes::All();
    anybody.actor.origin = call.peer;
    return anybody;
  }
  if (call.authorization.empty() && !call.certificate.empty()) {
    return FindToken(call, CertificateKey(call.certificate), "the certificate's token");
  }
  if (call.authorization.empty()) {
    return absl::UnauthenticatedError(
        "this server wants a token: set GPROFHUB_TOKEN, or make one with `gprofhub token create`");
  }
  absl::string_view token = call.authorization;
  const bool is_bearer = absl::ConsumePrefix(&token, "Bearer ");
  if (is_bearer && absl::StartsWith(token, kTokenPrefix) && token.size() == kTokenLength) {
    return FindToken(call, base::Sha256Hex(token), "the token");
  }
  if (is_bearer && id_tokens_ != nullptr && !absl::StartsWith(token, kTokenPrefix)) {
    absl::StatusOr<Caller> caller = id_tokens_(token, now_());
    if (caller.ok()) caller->actor.origin = call.peer;
    return caller;
  }
  return absl::UnauthenticatedError(
      "the authorization is not \"Bearer gph_…\" as `gprofhub token create` prints it");
}

absl::StatusOr<Caller> Authorizer::Authenticate(const CallOrigin& call) {
  absl::StatusOr<Caller> caller = Identify(call);
  if (!caller.ok()) NoteRefusal(call, {}, caller.status());
  return caller;
}

void Authorizer::NoteRefusal(const CallOrigin& call, const store::Actor& who,
                             const absl::Status& why) {
  if (absl::IsUnauthenticated(why) || absl::IsPermissionDenied(why)) {
    refusals_.Note(call, who, why);
  }
}

}  // namespace gprofhub::collector
