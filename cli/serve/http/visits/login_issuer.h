// Logging in at an issuer of ID tokens, with its passwords and its second factors: the code flow of
// OpenID Connect Core 1.0, 3.1, with a challenge (RFC 7636).
//
//   browser          this server                        issuer
//   /login/issuer →  remembers state, nonce, verifier
//                 ←  to the issuer's page  ───────────→ the user logs in there
//   /login/done   →  code and state  ←──────────────────
//                    code, verifier and secret ───────→
//                    ID token: signature, audience, nonce  ←
//                 ←  a session
//
// The state belongs to the browser's cookie and is valid once, so another site cannot log a visitor
// in as another user. Patterns of verified addresses define who may log in.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/http/http.h"
#include "collector/access/oidc/key_cache.h"
#include "page/html/url.h"

namespace gprofhub::cli {

struct LoginIssuerOptions {
  std::string issuer;              // "https://accounts.example.com", as in its tokens
  std::string client;              // this server's name there
  std::string secret;              // empty: the challenge alone vouches for the server
  std::string back;                // the whole address of /login/done
  std::vector<std::string> users;  // shell patterns of addresses of mail, such as "*@example.com"
  size_t most_pending = 10000;     // log-ins that have begun
  absl::Duration patience = absl::Minutes(10);  // from beginning to end
};

// Safe to call from several threads.
class LoginIssuer {
 public:
  // `http` has a timeout. Makes no request before the first log-in.
  LoginIssuer(LoginIssuerOptions options, base::HttpClient http,
              std::function<absl::Time()> now = absl::Now);

  // For people: the issuer's host.
  std::string name() const;

  // Address to redirect this session's browser to; it returns to `next` at the end. UNAVAILABLE:
  // the issuer is unreachable.
  absl::StatusOr<page::Url> Begin(const std::string& session, const std::string& next);

  struct LoggedIn {
    std::string user;  // the address of mail
    std::string next;
  };
  // The end of what Begin began in this session. UNAUTHENTICATED, saying why not; UNAVAILABLE.
  absl::StatusOr<LoggedIn> End(const std::string& session, const std::string& state,
                               const std::string& code);

 private:
  struct Pending {
    std::string session, nonce, verifier, next;
    absl::Time expires;
  };
  struct Endpoints {
    std::string authorization, token;
    absl::Time fetched = absl::InfinitePast();
  };

  absl::StatusOr<std::string> Get(const std::string& url) const;
  absl::StatusOr<Endpoints> FindEndpoints();
  absl::StatusOr<Endpoints> FetchEndpoints() const;
  absl::StatusOr<Pending> Take(const std::string& session, const std::string& state);
  absl::StatusOr<std::string> FetchToken(const Endpoints& endpoints, const Pending& pending,
                                         const std::string& code) const;

  const LoginIssuerOptions options_;
  const base::HttpClient http_;
  const std::function<absl::Time()> now_;
  collector::KeyCache keys_;
  absl::Mutex mutex_;
  Endpoints endpoints_ ABSL_GUARDED_BY(mutex_);
  absl::Time rests_until_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  std::map<std::string, Pending> pending_ ABSL_GUARDED_BY(mutex_);  // by state
};

}  // namespace gprofhub::cli
