// A request for a page and its response, independent of the HTTP library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/http/http.h"
#include "base/lru_cache.h"
#include "collector/access/authorizer.h"
#include "collector/access/verify_token.h"
#include "page/html.h"
#include "page/stack_tree.h"
#include "page/words.h"
#include "reporter/queries/runs.h"
#include "server/listen/listen_address.h"
#include "server/queries/served_listing.h"
#include "store/gate_records.h"
#include "store/invocations.h"
#include "store/reading.h"

namespace gprofhub::server {

// Logging in at an issuer of ID tokens, with its passwords and its second factors: the code flow of
// OpenID Connect Core 1.0, 3.1, with a challenge (RFC 7636).
//
//   browser          this server                        issuer
//   /login/issuer →
//                 ←  a cookie with state, nonce and verifier, and
//                    to the issuer's page  ───────────→ the user logs in there
//   /login/done   →  code and state  ←──────────────────
//                    code, verifier and secret ───────→
//                    ID token: signature, audience, nonce  ←
//                    access token, if the ID token has no address ───────→
//                    the same subject's address  ←
//                 ←  a session
//
// The browser holds what a log-in that has begun needs, signed, so log-ins that never end cost the
// server nothing. The cookie belongs to the browser's session, and its state logs in once, so
// another site cannot log a visitor in as another user. Patterns of verified addresses define who
// may log in.

struct LoginIssuerOptions {
  std::string issuer;              // "https://accounts.example.com", as in its tokens
  std::string client;              // this server's name there
  std::string secret;              // empty: the challenge alone vouches for the server
  std::string back;                // the whole address of /login/done
  std::vector<std::string> users;  // shell patterns of addresses of mail, such as "*@example.com"
  size_t most_ended = 10000;       // recent log-ins whose state is refused from then on
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

  struct Begun {
    page::Url url;  // the issuer's page
    std::string state;
    std::string cookie;  // the value that End needs, valid for `patience`
  };
  // Begins a log-in of this session's browser; it returns to `next` at the end. UNAVAILABLE: the
  // issuer is unreachable.
  absl::StatusOr<Begun> Begin(const std::string& session, const std::string& next);
  const LoginIssuerOptions& options() const { return options_; }

  struct LoggedIn {
    std::string user;  // the address of mail
    std::string next;
  };
  // The end of what Begin began in this session. UNAUTHENTICATED, saying why not; UNAVAILABLE.
  absl::StatusOr<LoggedIn> End(const std::string& session, const std::string& cookie,
                               const std::string& state, const std::string& code);

 private:
  struct Pending {
    std::string nonce, verifier, next;
    absl::Time expires;
  };
  struct Endpoints {
    std::string authorization, token, user;
    absl::Time fetched = absl::InfinitePast();
  };

  absl::StatusOr<std::string> Get(const std::string& url) const;
  absl::StatusOr<Endpoints> FindEndpoints();
  absl::StatusOr<Endpoints> FetchEndpoints() const;
  // The key that signs cookies; drawn once.
  absl::StatusOr<std::string> Key();
  // What the cookie holds, if Begin made it for this session and state.
  absl::StatusOr<Pending> Open(const std::string& session, const std::string& cookie,
                               const std::string& state);
  // Whether no log-in has ended with the state yet; from now on one has.
  bool EndState(const std::string& state, absl::Time expires);
  // The token endpoint's response, with an ID token.
  absl::StatusOr<nlohmann::json> FetchTokens(const Endpoints& endpoints, const Pending& pending,
                                             const std::string& code) const;
  // The claims with the address: those of the ID token, or of the endpoint for users.
  absl::StatusOr<nlohmann::json> FetchUser(const Endpoints& endpoints, const nlohmann::json& tokens,
                                           const nlohmann::json& claims) const;

  const LoginIssuerOptions options_;
  const base::HttpClient http_;
  const std::function<absl::Time()> now_;
  collector::KeyCache keys_;
  absl::Mutex mutex_;
  Endpoints endpoints_ ABSL_GUARDED_BY(mutex_);
  absl::Time rests_until_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  std::string key_ ABSL_GUARDED_BY(mutex_);
  // The states of successful log-ins whose cookies have not expired.
  std::map<std::string, absl::Time> ended_ ABSL_GUARDED_BY(mutex_);
};

// Data sources of pages.

// A target's call stacks as a page shows them, optionally compared with those of another run.
struct FlameGraph {
  bool is_measured = false;            // recorded; false: estimated from the call graph
  uint32_t repetitions = 1;            // executions of the target that the values are of
  std::vector<page::StackCost> costs;  // most first; values are in millionths of a second
  std::string json;                    // page::StackTreeJson
};

// Names of the functions of a run's targets, for searches; the hottest first.
struct FunctionNames {
  struct Name {
    std::string linkage;
    std::string lower;  // demangled, in lower case
  };
  std::vector<Name> names;

  uint64_t bytes() const {
    uint64_t sum = 0;
    for (const Name& name : names) sum += sizeof name + name.linkage.size() + name.lower.size();
    return sum;
  }
};

// Cache shared by pages: several parts of a page need the same data, and so do linked pages. It is
// computed from blobs, and keyed by their names.
struct PageMemory {
  static constexpr uint64_t kDefaultBytes = uint64_t{96} << 20;

  // Of all kinds together: reports, profiles and flame graphs have a quarter each, and names the
  // rest.
  explicit PageMemory(uint64_t bytes)
      : queries(bytes / 4),
        flames(bytes / 4,
               [](const FlameGraph& flame) {
                 return flame.json.capacity() + flame.costs.size() * sizeof(page::StackCost);
               }),
        names(bytes / 4, [](const FunctionNames& one) { return one.bytes(); }) {}

  reporter::QueryMemory queries;
  base::LruCache<FlameGraph> flames;
  base::LruCache<FunctionNames> names;
};

// The parts of the store that pages read.
struct PageStore {
  store::Reading reading;
  reporter::BlobReader blobs;
  store::GateRecords gate;
  store::Invocations invocations;
  std::shared_ptr<PageMemory> memory = std::make_shared<PageMemory>(PageMemory::kDefaultBytes);
};

// NOT_FOUND for a project that has neither runs nor invocations.
absl::Status CheckProject(const PageStore& store, const std::string& project);

// Pictures for comments (reporter/posting/post_report.h).
struct Pictures {
  std::string key;  // that signs addresses; empty: no signed addresses
  std::function<absl::Time()> now = absl::Now;
};

// For visitors who see a project's profiles only because they are public (Visits::PermitSource).
inline constexpr char kSourceIsClosed[] =
    "Anybody may see this project's profiles. Its source is open to its readers: log in to see it.";

struct PageSources {
  PageStore store;
  page::SourceLinksByProject links;
  ReadSource read_source = nullptr;              // null: source is unavailable
  std::shared_ptr<LoginIssuer> login = nullptr;  // where people log in; null: with tokens only
  Pictures pictures = {};
  // Where this process accepts uploads; null: it does not.
  std::optional<ListenAddress> uploads = std::nullopt;
  // Time of the data in the replica that is read; null: it reads the primary.
  std::function<std::optional<absl::Time>()> as_of = nullptr;
};

// The same as text, UTC; empty: the data is current.
inline std::string AsOfText(const PageSources& sources, absl::string_view format) {
  const std::optional<absl::Time> as_of = sources.as_of ? sources.as_of() : std::nullopt;
  return as_of.has_value() ? absl::FormatTime(format, *as_of, absl::UTCTimeZone()) : "";
}

struct PageRequest {
  bool is_post = false;
  std::vector<std::string> path;             // segments, decoded; none: "/"
  std::string target;                        // path and query as received, without path prefix
  std::map<std::string, std::string> query;  // of several values of a name the last
  std::map<std::string, std::string> form;   // of a POST
  std::string body;                          // of a POST to /mcp
  std::map<std::string, std::string> cookies;
  std::string authorization;
  // Whose it is, if that was looked up (Visits::PersonOf).
  std::optional<absl::StatusOr<collector::Caller>> caller;
  std::string proxy_user;  // of the header that --http-user-header names
  std::string peer;        // its address, without port
  std::string host;        // as the client calls the server, without port
  std::string authority;   // the same, with the port if it names one
  std::string origin;      // of the page that sent a form; empty: not a browser
  std::string fetch_site;  // "same-origin" or how that page relates to this server; may be empty

  // The value, or nothing.
  const std::string& Query(const std::string& name) const;
  const std::string& Form(const std::string& name) const;
  // At most `most`; 0 where it is not there. INVALID_ARGUMENT naming it.
  absl::StatusOr<uint32_t> Number(const std::string& name, uint32_t most) const;
  bool Is(std::initializer_list<absl::string_view> path_pattern) const;  // "*" is any segment
  bool is_mcp() const { return path.size() == 1 && path.front() == "mcp"; }
  // Whether errors are JSON.
  bool is_api() const { return is_mcp() || (!path.empty() && path.front() == "api"); }
};

// The target below the path prefix (VisitOptions) as if there were none: front proxies keep the
// prefix or strip it. `prefix` begins with a segment that is not of kOwnSegments, so that a target
// without it stays as it is.
std::string WithoutPathPrefix(absl::string_view target, absl::string_view prefix);

// The first segments of the server's addresses.
inline constexpr absl::string_view kOwnSegments[] = {
    "api", "assets", "invocations", "licences", "login", "logout", "mcp", "p", "picture"};

// Path and query of a request's target, into `request`. INVALID_ARGUMENT: it is not
// "/path?query", or has bytes that are not UTF-8, or NUL.
absl::Status ParseTarget(absl::string_view target, PageRequest& request);

// "a=b&c=d", percent-coded, '+' for blanks.
std::map<std::string, std::string> ParseForm(absl::string_view text);

// "a=b; c=d". Of several values of a name the first: browsers send that of the longest path first
// (RFC 6265, 5.4).
std::map<std::string, std::string> ParseCookies(absl::string_view header);

// The longest trend that a page or an answer of the API shows, in runs.
inline constexpr uint32_t kMostTrendRuns = 10000;

struct PageAnswer {
  int code = 200;
  std::string type = "text/html; charset=utf-8";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  bool is_asset = false;    // never changes, and is packed already
  bool is_picture = false;  // that pages elsewhere show
  bool needs_wasm = false;  // its own scripts do, beyond the strict policy
};

// The answer's code for an error: NOT_FOUND is 404, and so on.
int CodeOf(const absl::Status& status);

// Unguessable names.

inline constexpr size_t kRandomNameDigits = 64;

// 256 random bits as lower-case hexadecimal digits. INTERNAL: the kernel's random generator failed.
absl::StatusOr<std::string> RandomName();

}  // namespace gprofhub::server
