// Authentication and authorization: bearer tokens of the store, client certificates in place of
// tokens, and ID tokens of CI systems.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "proto/collector.pb.h"
#include "store/records/records.h"
#include "store/tokens.h"

namespace gprofhub::collector {

// Scopes of tokens.

enum class Scope : uint8_t {
  kUpload,       // send runs of pull requests and forks, and report gated findings of a check
  kUploadMain,   // send runs of the main line, the baseline of comparisons; implies kUpload
  kRead,         // query
  kAcknowledge,  // acknowledge changes, and withdraw own acknowledgements
  kAdmin,        // withdraw other users' acknowledgements
};

// The name in configuration: "upload", "upload-main", "read", "acknowledge", "admin".
absl::string_view NameOf(Scope scope);

// A set of scopes.
class Scopes {
 public:
  Scopes() = default;
  static Scopes All();

  // Comma-separated names, such as "upload,read". INVALID_ARGUMENT for an unknown name, and for an
  // empty set.
  static absl::StatusOr<Scopes> Parse(absl::string_view names);

  Scopes With(Scope scope) const;
  bool Has(Scope scope) const;
  // The names, with commas, in the order of the scopes.
  std::string Names() const;

  friend bool operator==(const Scopes&, const Scopes&) = default;

 private:
  uint32_t bits_ = 0;
};

// The authenticated caller and its permissions.

// Metadata of a call, available before its first message is read.
struct CallOrigin {
  std::string authorization;  // value of its "authorization" metadata, or empty
  std::string peer;           // its address
  std::string method;         // such as "Upload"
  // Fingerprint of the client's certificate, if it sent no authorization (certificate.h); else
  // empty.
  std::string certificate = {};
};

// Claims of an ID token about the run of its CI job. They override the upload's own fields.
struct RunFacts {
  enum class Kind {
    kBranch,       // the job was started for a branch
    kPullRequest,  // for a pull or merge request
    kUnknown,      // the CI system has no such claim
  };
  Kind kind = Kind::kUnknown;
  std::string branch;        // empty: no such claim
  std::string pull_request;  // empty: no such claim
  bool untrusted = false;    // it may run untrusted code: the run counts as a fork's
};

struct Caller {
  bool anonymous = false;  // no token exists, so none is needed
  std::string project;     // the token's project; empty if anonymous: any
  Scopes scopes;
  store::Actor actor;
  std::optional<RunFacts> run;  // claims of an ID token
  // When its rights end, as far as the token itself contains it: that of an ID token.
  absl::Time expires = absl::InfiniteFuture();
};

// PERMISSION_DENIED unless the caller may do this to the project.
absl::Status Permit(const Caller& caller, absl::string_view project, Scope scope);

// Counts refused calls for the audit log. Their number does not matter: the audit log gets a few
// rows a minute, and so does the text log.

// Thread-safe. Counts of the last minute are written with the next refusal, or at the end.
class Refusals {
 public:
  // Kinds of refusals counted separately within a minute; further kinds are counted together.
  static constexpr size_t kMostKinds = 30;
  static constexpr absl::Duration kInterval = absl::Minutes(1);

  Refusals(store::AuditLog log, std::function<absl::Time()> now);
  ~Refusals();
  Refusals(const Refusals&) = delete;
  Refusals& operator=(const Refusals&) = delete;

  // `who` is empty for an unknown caller.
  void Note(const CallOrigin& call, const store::Actor& who, const absl::Status& why);

 private:
  // Method, code and principal.
  using Kind = std::tuple<std::string, absl::StatusCode, std::string>;
  struct Count {
    uint64_t calls = 0;
    std::string last_peer;
    std::string last_message;
  };

  std::map<Kind, Count> Take(absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Write(const std::map<Kind, Count>& counts, absl::Time now) const;

  const store::AuditLog log_;
  const std::function<absl::Time()> now_;
  absl::Mutex mutex_;
  std::map<Kind, Count> counts_ ABSL_GUARDED_BY(mutex_);
  absl::Time written_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
};

// Until the first token is created, and unless ID tokens of a CI system are accepted, every caller
// is anonymous and has all rights; `gprofhub serve` refuses to listen beyond loopback in that state
// unless --allow-anonymous is given. Thread-safe.
class Authorizer {
 public:
  // Verifies an ID token and returns its principal (collector/access/issuers.h).
  // UNAUTHENTICATED if it is not valid; UNAVAILABLE if it cannot be verified now.
  using IdTokens = std::function<absl::StatusOr<Caller>(absl::string_view token, absl::Time now)>;

  // Without `id_tokens`, ID tokens are refused.
  Authorizer(store::Tokens tokens, store::AuditLog log, IdTokens id_tokens = nullptr,
             std::function<absl::Time()> now = absl::Now);

  // Authenticates the caller. A certificate is used only if no token is sent. UNAUTHENTICATED for
  // an absent, malformed, unknown, revoked or expired token; the store's errors. Refusals are
  // counted. Permit decides what the caller may do.
  absl::StatusOr<Caller> Authenticate(const CallOrigin& call);

  // Whether the caller still has the rights that Authenticate returned: UNAUTHENTICATED if its
  // token was revoked or has expired, or if tokens are needed now; PERMISSION_DENIED if the token
  // lost a scope; the store's errors.
  absl::Status Recheck(const Caller& caller);

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

// Client certificates in place of tokens, for clients that support TLS client authentication but
// cannot send a token (Bazel 4: --tls_client_certificate).
//
// The TLS handshake validates the certificate: issuer, validity period and possession of the key.
// This file only identifies it, by the SHA-256 of its bytes.

// The SHA-256 of the first certificate's bytes (DER), 64 lower-case hexadecimal digits.
// INVALID_ARGUMENT if `pem` has no certificate.
absl::StatusOr<std::string> FingerprintOf(absl::string_view pem);

// Parses a fingerprint as `openssl x509 -noout -fingerprint -sha256` prints it after "=", with or
// without colons, in upper or lower case. INVALID_ARGUMENT.
absl::StatusOr<std::string> ParseFingerprint(absl::string_view text);

// Key of a certificate's token in the store, in place of a token's hash. It is the hash of a text
// that cannot be sent as a token.
std::string CertificateKey(absl::string_view fingerprint);

// Makes tokens.
//
// A token is "gph_" and 256 random bits in hexadecimal. The store keeps only its SHA-256. A
// presented token is looked up by its hash, so that the response time reveals nothing about a
// partly correct guess.

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

// Trust level of a run: main line, pull request or fork.

// Overrides fields of `run` with the claims of the caller's ID token, and checks that the caller
// may send such a run: a run of neither a pull request nor a fork belongs to the main line, which
// needs Scope::kUploadMain. PERMISSION_DENIED if it may not, or if the upload contradicts the ID
// token in a field that cannot be overridden.
absl::Status SettleRun(const Caller& caller, v1::RunInfo& run);

// PERMISSION_DENIED unless the caller could have sent this stored run: a report on a run of the
// main line or of another job's pull request needs the rights of its upload.
absl::Status PermitRun(const Caller& caller, const store::RunRecord& run);

}  // namespace gprofhub::collector
