#include "collector/access/authorizer.h"

#include <spdlog/spdlog.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/hash.h"
#include "base/merge_queue.h"
#include "base/status_macros.h"

namespace gprofhub::collector {

namespace {

constexpr std::array<std::pair<Scope, absl::string_view>, 5> kNames = {
    {{Scope::kUpload, "upload"},
     {Scope::kUploadMain, "upload-main"},
     {Scope::kRead, "read"},
     {Scope::kAcknowledge, "acknowledge"},
     {Scope::kAdmin, "admin"}}};

uint32_t BitOf(Scope scope) { return uint32_t{1} << static_cast<uint32_t>(scope); }

}  // namespace

absl::string_view NameOf(Scope scope) { return kNames[static_cast<size_t>(scope)].second; }

Scopes Scopes::All() {
  Scopes scopes;
  for (const auto& [scope, name] : kNames) scopes = scopes.With(scope);
  return scopes;
}

absl::StatusOr<Scopes> Scopes::Parse(absl::string_view names) {
  Scopes scopes;
  for (const absl::string_view given : absl::StrSplit(names, ',')) {
    bool known = false;
    for (const auto& [scope, name] : kNames) {
      if (given != name) continue;
      scopes = scopes.With(scope);
      known = true;
    }
    if (!known) {
      return absl::InvalidArgumentError(
          absl::StrCat("scopes: '", absl::CHexEscape(given.substr(0, 40)),
                       "' is not one of upload, upload-main, read, acknowledge, admin"));
    }
  }
  return scopes;
}

Scopes Scopes::With(Scope scope) const {
  Scopes more = *this;
  more.bits_ |= BitOf(scope);
  return more;
}

bool Scopes::Has(Scope scope) const {
  if (scope == Scope::kUpload && (bits_ & BitOf(Scope::kUploadMain)) != 0) return true;
  return (bits_ & BitOf(scope)) != 0;
}

std::string Scopes::Names() const {
  std::string names;
  for (const auto& [scope, name] : kNames) {
    if ((bits_ & BitOf(scope)) != 0) absl::StrAppend(&names, names.empty() ? "" : ",", name);
  }
  return names;
}

absl::Status Permit(const Caller& caller, absl::string_view project, Scope scope) {
  if (!caller.anonymous && caller.project != project) {
    return absl::PermissionDeniedError(
        absl::StrCat("the token belongs to another project than \"", project, "\""));
  }
  if (caller.scopes.Has(scope)) return absl::OkStatus();
  return absl::PermissionDeniedError(
      absl::StrCat("the token has the scopes ", caller.scopes.Names(), "; this requires ",
                   NameOf(scope), " (`gprofhub token create --scope`)"));
}

absl::StatusOr<std::string> FingerprintOf(absl::string_view pem) {
  constexpr absl::string_view kBegin = "-----BEGIN CERTIFICATE-----";
  constexpr absl::string_view kEnd = "-----END CERTIFICATE-----";
  const size_t begin = pem.find(kBegin);
  const size_t end = begin == absl::string_view::npos ? begin : pem.find(kEnd, begin);
  std::string der;
  if (end == absl::string_view::npos ||
      !absl::Base64Unescape(pem.substr(begin + kBegin.size(), end - begin - kBegin.size()), &der) ||
      der.empty()) {
    return absl::InvalidArgumentError("not a certificate in PEM format");
  }
  return base::Sha256Hex(der);
}

absl::StatusOr<std::string> ParseFingerprint(absl::string_view text) {
  std::string digits = absl::AsciiStrToLower(absl::StrReplaceAll(text, {{":", ""}}));
  if (base::IsSha256Hex(digits)) return digits;
  return absl::InvalidArgumentError(
      "not a SHA-256 fingerprint: use 64 hexadecimal digits, with or without colons");
}

std::string CertificateKey(absl::string_view fingerprint) {
  return base::Sha256Hex(absl::StrCat("certificate ", fingerprint));
}

namespace {

absl::StatusOr<std::string> RandomToken() {
  ASSIGN_OR_RETURN(const std::string bytes, base::RandomBytes(kTokenRandomBytes));
  return absl::StrCat(kTokenPrefix, absl::BytesToHexString(bytes));
}

}  // namespace

absl::StatusOr<NewToken> MakeToken(const store::Tokens& tokens, const TokenOptions& options,
                                   const store::Actor& by, absl::Time now) {
  if (options.expires <= now) return absl::InvalidArgumentError("expires: is in the past");
  ASSIGN_OR_RETURN(std::string token, options.certificate.empty() ? RandomToken() : std::string());
  store::TokenRecord wanted;
  wanted.project = options.project;
  wanted.label = options.label;
  wanted.token_sha256 =
      options.certificate.empty() ? base::Sha256Hex(token) : CertificateKey(options.certificate);
  wanted.scopes = options.scopes.Names();
  wanted.created = now;
  wanted.expires = options.expires;
  absl::StatusOr<store::TokenRecord> record = tokens.Create(wanted, by);
  if (absl::IsAlreadyExists(record.status())) {
    return absl::AlreadyExistsError(
        "the certificate is already used by a token, perhaps a revoked one; change that token, or "
        "create a new certificate");
  }
  if (!record.ok()) return record.status();
  return NewToken{std::move(token), *std::move(record)};
}

absl::StatusOr<NewToken> RotateToken(const store::Tokens& tokens, int64_t id,
                                     absl::Duration overlap, const store::Actor& by,
                                     absl::Time now) {
  if (overlap < absl::ZeroDuration()) {
    return absl::InvalidArgumentError("overlap: must not be negative");
  }
  ASSIGN_OR_RETURN(const store::TokenRecord old, tokens.Read(id));
  ASSIGN_OR_RETURN(std::string token, RandomToken());
  store::TokenRecord wanted = old;
  wanted.token_sha256 = base::Sha256Hex(token);
  wanted.created = now;
  if (old.expires != absl::InfiniteFuture()) wanted.expires = now + (old.expires - old.created);
  ASSIGN_OR_RETURN(store::TokenRecord record, tokens.Rotate(id, wanted, now + overlap, by));
  return NewToken{std::move(token), std::move(record)};
}

namespace {

constexpr size_t kMaxMessageBytes = 300;

}  // namespace

Refusals::Refusals(store::AuditLog log, std::function<absl::Time()> now)
    : log_(std::move(log)), now_(std::move(now)) {}

Refusals::~Refusals() {
  const absl::Time now = now_();
  std::map<Kind, Count> counts;
  {
    absl::MutexLock lock(&mutex_);
    counts = Take(now);
  }
  Write(counts, now);
}

void Refusals::Note(const CallOrigin& call, const store::Actor& who, const absl::Status& why) {
  const absl::Time now = now_();
  std::map<Kind, Count> due;
  {
    absl::MutexLock lock(&mutex_);
    Kind kind = {call.method, why.code(), who.name};
    if (!counts_.contains(kind) && counts_.size() >= kMostKinds) {
      kind = {"others", absl::StatusCode::kUnknown, ""};
    }
    Count& count = counts_[std::move(kind)];
    ++count.calls;
    count.last_peer = call.peer;
    count.last_message = std::string(why.message().substr(0, kMaxMessageBytes));
    if (now - written_ >= kInterval) due = Take(now);
  }
  Write(due, now);
}

std::map<Refusals::Kind, Refusals::Count> Refusals::Take(absl::Time now) {
  written_ = now;
  return std::exchange(counts_, {});
}

void Refusals::Write(const std::map<Kind, Count>& counts, absl::Time now) const {
  if (counts.empty()) return;
  std::vector<store::AuditRecord> records;
  for (const auto& [kind, count] : counts) {
    const auto& [method, code, who] = kind;
    store::AuditRecord& record = records.emplace_back();
    record.time = now;
    record.actor = who;
    record.origin = count.last_peer;
    record.action = "refused";
    record.subject = method;
    record.detail = absl::StrCat(count.calls, count.calls == 1 ? " call" : " calls", ", ",
                                 absl::StatusCodeToString(code), ": ", count.last_message);
    spdlog::warn("{} refused, the last from {}: {}", method, count.last_peer, record.detail);
  }
  if (absl::Status status = log_.Add(records); !status.ok()) {
    spdlog::error("cannot write the audit log: {}", status.ToString());
  }
}

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
    return absl::UnauthenticatedError(
        absl::StrCat(what, " expired at ",
                     absl::FormatTime(absl::RFC3339_sec, record->expires, absl::UTCTimeZone()),
                     record->replaced_by == 0 ? "; create a new one with `gprofhub token create`"
                                              : "; it was rotated, use its replacement"));
  }
  absl::StatusOr<Scopes> scopes = Scopes::Parse(record->scopes);
  if (!scopes.ok()) return absl::DataLossError(scopes.status().message());
  if (record->last_used <= now - store::kTokenUseGrain && !reads_copy_) {
    const absl::Status kept = tokens_.KeepUse(record->id, now);
    if (absl::IsFailedPrecondition(kept)) {
      reads_copy_ = true;  // a read replica: nothing can be written
    } else if (!kept.ok()) {
      // Not a reason to refuse the call.
      spdlog::warn("cannot record the use of token {}: {}", record->id, kept.ToString());
    }
  }
  Caller caller;
  caller.project = record->project;
  caller.scopes = *scopes;
  caller.actor = {ActorName(*record), call.peer, record->id};
  return caller;
}

absl::StatusOr<Caller> Authorizer::Identify(const CallOrigin& call) {
  ASSIGN_OR_RETURN(const bool needed, TokenNeeded());
  if (!needed) {
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
        "authentication required: set GPROFHUB_TOKEN, or create a token with `gprofhub token "
        "create`");
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
      "the authorization is not \"Bearer gph_…\" with a token of `gprofhub token create`");
}

absl::StatusOr<Caller> Authorizer::Authenticate(const CallOrigin& call) {
  absl::StatusOr<Caller> caller = Identify(call);
  if (!caller.ok()) NoteRefusal(call, {}, caller.status());
  return caller;
}

absl::Status Authorizer::Recheck(const Caller& caller) {
  if (caller.anonymous) {
    ASSIGN_OR_RETURN(const bool needed, TokenNeeded());
    if (!needed) return absl::OkStatus();
    return absl::UnauthenticatedError("authentication required: the server has tokens now");
  }
  if (caller.expires <= now_()) return absl::UnauthenticatedError("the ID token has expired");
  if (caller.actor.token_id == 0) return absl::OkStatus();
  const absl::StatusOr<store::TokenRecord> record = tokens_.Read(caller.actor.token_id);
  if (absl::IsNotFound(record.status()) || (record.ok() && record->revoked)) {
    return absl::UnauthenticatedError("the token was revoked");
  }
  if (!record.ok()) return record.status();
  if (record->expires <= now_()) return absl::UnauthenticatedError("the token has expired");
  const absl::StatusOr<Scopes> scopes = Scopes::Parse(record->scopes);
  if (!scopes.ok()) return absl::DataLossError(scopes.status().message());
  for (const auto& [scope, name] : kNames) {
    if (caller.scopes.Has(scope) && !scopes->Has(scope)) {
      return absl::PermissionDeniedError(absl::StrCat("the token has lost the scope ", name));
    }
  }
  return absl::OkStatus();
}

void Authorizer::NoteRefusal(const CallOrigin& call, const store::Actor& who,
                             const absl::Status& why) {
  if (absl::IsUnauthenticated(why) || absl::IsPermissionDenied(why)) {
    refusals_.Note(call, who, why);
  }
}

namespace {

absl::Status TakeFacts(const RunFacts& facts, v1::RunInfo& run) {
  // A job of GitLab's merge train has the claims of a merge request's. The reporter asks the forge
  // whether the commit is in the train.
  const bool is_group = facts.kind == RunFacts::Kind::kPullRequest && facts.pull_request.empty() &&
                        base::IsMergeQueueBranch(run.branch());
  if (!facts.branch.empty() && !is_group) run.set_branch(facts.branch);
  if (facts.untrusted) run.set_from_fork(true);
  switch (facts.kind) {
    case RunFacts::Kind::kBranch:
      if (run.pull_request().empty()) break;
      return absl::PermissionDeniedError(
          absl::StrCat("header.run.pull_request: the upload contains ", run.pull_request(),
                       ", but according to the ID token the job was started for branch ",
                       facts.branch, " and not for a pull request"));
    case RunFacts::Kind::kPullRequest:
      if (!facts.pull_request.empty()) run.set_pull_request(facts.pull_request);
      if (!run.pull_request().empty()) break;
      return absl::PermissionDeniedError(
          "header.run.pull_request: is missing, and according to the ID token the job was started "
          "for a pull request; pass --pull-request");
    case RunFacts::Kind::kUnknown:
      break;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status SettleRun(const Caller& caller, v1::RunInfo& run) {
  if (caller.run.has_value()) {
    RETURN_IF_ERROR(TakeFacts(*caller.run, run));
  }
  const bool is_mainline = run.pull_request().empty() && !run.from_fork();
  if (!is_mainline || caller.scopes.Has(Scope::kUploadMain)) return absl::OkStatus();
  return absl::PermissionDeniedError(
      absl::StrCat("the run is not of a pull request or a fork, so it would become a baseline; "
                   "this requires the scope ",
                   NameOf(Scope::kUploadMain), ", and the token has ", caller.scopes.Names(),
                   "; use a separate token for jobs of the main branch, or pass --pull-request"));
}

absl::Status PermitRun(const Caller& caller, const store::RunRecord& run) {
  v1::RunInfo settled;
  settled.set_branch(run.branch);
  settled.set_pull_request(run.pull_request);
  settled.set_from_fork(run.from_fork);
  RETURN_IF_ERROR(SettleRun(caller, settled));
  if (settled.branch() == run.branch && settled.pull_request() == run.pull_request &&
      settled.from_fork() == run.from_fork) {
    return absl::OkStatus();
  }
  return absl::PermissionDeniedError(absl::StrCat(
      "run ", run.id, " is of another branch or pull request than the job of the ID token"));
}

}  // namespace gprofhub::collector
