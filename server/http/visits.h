// Authentication and rights of visitors: by a token that they logged in with, by a proxy or an
// issuer (LoginIssuer), or as anonymous.
//
// A session is a random name in a cookie. Its data stays here: the token is checked at each
// request, so a revoked one loses access at once. Forms that change data carry a CSRF token, an
// HMAC of the cookie and the user under a secret of this process, so another site's page cannot
// submit one, not even with a cookie that it set. Browsers also send the page's origin.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "collector/access/authorizer.h"
#include "collector/method.h"
#include "server/http/page_request.h"

namespace gprofhub::server {

struct VisitOptions {
  std::set<std::string> public_projects;  // whose runs are readable anonymously
  std::set<std::string> proxies;          // addresses trusted to authenticate users
  std::string own_host;                   // this server's public host name; may be empty
  std::string own_origin;                 // "https://host:port" of its public address; may be empty
  // Of the pages' public addresses, such as "/gprofhub"; empty: they begin at "/".
  std::string path_prefix;
  bool secure_cookies = false;  // people reach it through TLS
  absl::Duration session = absl::Hours(12);
  size_t most_sessions = 10000;
};

struct Visitor {
  // nullopt: anonymous; then only public data is accessible.
  std::optional<collector::Caller> caller;
  bool is_vouched = false;    // authenticated by a proxy or an issuer: all projects
  bool is_logged_in = false;  // through a cookie
  std::string session;        // the cookie's value
  bool is_new_session = false;

  std::string name() const;
};

// Safe to call from several threads.
class Visits {
 public:
  // The data that `access` uses outlives the visits. INTERNAL: the kernel's random generator
  // failed.
  static absl::StatusOr<std::unique_ptr<Visits>> Make(collector::Access access,
                                                      VisitOptions options,
                                                      std::function<absl::Time()> now = absl::Now);

  // UNAUTHENTICATED for an Authorization header that is not good, PERMISSION_DENIED for a name of
  // this server that it does not have, the store's errors.
  absl::StatusOr<Visitor> Identify(const PageRequest& request);

  // The person of the request, or the token; empty: a stranger. It gives no rights: it only decides
  // whose requests wait for each other. Sets the request's caller if it looks up the authorization.
  std::string PersonOf(PageRequest& request);

  // Whether the visitor may do this to the project. UNAUTHENTICATED: a log-in is needed.
  absl::Status Permit(const Visitor& visitor, absl::string_view project,
                      collector::Scope scope) const;
  // Whether the visitor may read the project's source, which this server reads with credentials of
  // its own. Public runs do not imply public source. Errors as Permit.
  absl::Status PermitSource(const Visitor& visitor, absl::string_view project) const;
  // The projects of `all` that the visitor may read.
  std::vector<std::string> Readable(const Visitor& visitor, std::vector<std::string> all) const;

  // Charges bytes that a form stores to the project's quotas (collector/quotas.h).
  absl::Status Charge(const std::string& project, uint64_t bytes) const;

  // PERMISSION_DENIED for a request that a page of another site sent.
  absl::Status CheckOrigin(const PageRequest& request) const;
  // PERMISSION_DENIED unless the form was made for this visitor, and sent by a page of this server.
  absl::Status CheckForm(const Visitor& visitor, const PageRequest& request) const;
  std::string SignOf(const Visitor& visitor) const;

  // Begins a session for the token; returns its cookie's value. UNAUTHENTICATED.
  absl::StatusOr<std::string> LogIn(const PageRequest& request, absl::string_view token);
  // The same for a user authenticated by an issuer.
  absl::StatusOr<std::string> LogInUser(const std::string& user);
  void LogOut(const Visitor& visitor);

  const std::string& path_prefix() const { return options_.path_prefix; }

  // The header that sets the session's cookie; an empty value deletes it.
  std::string CookieOf(absl::string_view session) const;
  // Whether a header sets that cookie.
  bool SetsSession(absl::string_view set_cookie) const;

  // A log-in at the issuer that has begun (LoginIssuer): the cookie that holds it, and the header
  // that sets the cookie for a while; an empty value deletes it. A browser has a few such log-ins.
  std::string LoginCookieOf(absl::string_view state, absl::string_view value,
                            absl::Duration lasts) const;
  std::string FindLogin(const PageRequest& request, absl::string_view state) const;

 private:
  struct Session {
    std::string authorization;  // of a token; else empty
    std::string user;           // authenticated by an issuer; else empty
    absl::Time expires;
  };

  Visits(collector::Access access, VisitOptions options, std::function<absl::Time()> now,
         std::string secret);
  absl::StatusOr<collector::Caller> LookUp(const PageRequest& request,
                                           const std::string& authorization) const;
  // The same, once for each request, within the limit of calls.
  absl::StatusOr<collector::Caller> Authenticate(const PageRequest& request,
                                                 const std::string& authorization) const;
  std::optional<Session> FindSession(const std::string& name);
  absl::StatusOr<std::string> BeginSession(Session session);
  absl::Status CheckHost(const PageRequest& request) const;
  std::string SetCookie(absl::string_view name, absl::string_view value,
                        absl::Duration lasts) const;
  std::string LoginCookieName(absl::string_view state) const;
  // Permit, except for rights of anonymous visitors.
  absl::Status PermitKnown(const Visitor& visitor, absl::string_view project,
                           collector::Scope scope) const;

  const collector::Access access_;
  const VisitOptions options_;
  const std::string cookie_;  // its name
  const std::function<absl::Time()> now_;
  const std::string secret_;
  std::atomic<bool> tokens_needed_ = false;  // tokens are never uncreated
  absl::Mutex mutex_;
  std::map<std::string, Session> sessions_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace gprofhub::server
