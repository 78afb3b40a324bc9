// REST client of a forge: JSON calls, pagination, redirects and retries.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/http/http.h"

namespace gprofhub::reporter {

// The clock of the forges' clients.

// How a forge's client reads the time and waits. Tests inject their own.
struct ForgeClock {
  std::function<absl::Time()> now;
  std::function<void(absl::Duration)> sleep;
};

// Retry policy for a forge's responses, as a pure function.

struct RetryPolicy {
  int max_attempts = 4;
  // Used if the forge does not specify a wait. It doubles with every attempt.
  absl::Duration first_wait = absl::Seconds(1);
  // A longer wait is returned to the caller as an error (RetryAfterOf).
  absl::Duration longest_wait = absl::Seconds(20);
};

struct RetryDecision {
  enum class Kind {
    kDone,    // the response is final, success or error
    kWait,    // retry after `wait`
    kGiveUp,  // fail; the caller may retry after `wait`
  };
  Kind kind = Kind::kDone;
  absl::Duration wait = absl::ZeroDuration();
};

// `attempt` counts from 1. A request that is not `idempotent` is retried only after a rate limit,
// which guarantees that the request was not executed. The wait follows RFC 9110, 10.2.3, and
// GitHub's "Best practices for using the REST API": retry-after, else x-ratelimit-reset, else a
// minute. A secondary rate limit of GitHub may be recognizable by its message only.
RetryDecision DecideRetry(const absl::StatusOr<base::HttpResponse>& answer, bool idempotent,
                          int attempt, absl::Time now, const RetryPolicy& policy);

// Attaches the time until the next retry to an error.
absl::Status WithRetryAfter(absl::Status status, absl::Duration wait);
std::optional<absl::Duration> RetryAfterOf(const absl::Status& status);

struct RestOptions {
  std::string base_url;  // without a trailing slash
  base::HttpClient http;
  ForgeClock clock;
  // Returns the headers of every request, including credentials. Called for each request.
  std::function<absl::StatusOr<base::HttpHeaders>()> headers;
  RetryPolicy retry;
  // Prefix to remove from responses (Gerrit's XSSI guard).
  std::string json_prefix;
};

// A path begins with "/" and is below base_url. Redirects (of renamed and moved repositories) are
// followed with method and body unchanged, at most three times, and only on the same server,
// because credentials go with them. Errors contain the method, the address, the permission that the
// forge names as missing, and the forge's message (ReasonOf), never a request's header:
//   INVALID_ARGUMENT   400, 422, and other 4xx
//   UNAUTHENTICATED    401
//   PERMISSION_DENIED  403
//   NOT_FOUND          404, 410
//   ABORTED            409
//   UNAVAILABLE        rate limits, 408, 5xx, no response; with RetryAfterOf
//   RESOURCE_EXHAUSTED a response that is too long, or that would need too much memory as JSON
//   INTERNAL           a response that is not JSON, and anything else
class RestApi {
 public:
  explicit RestApi(RestOptions options);

  // The response as JSON. Null if the body is empty.
  absl::StatusOr<nlohmann::json> Get(absl::string_view path) const;
  absl::StatusOr<nlohmann::json> Send(absl::string_view method, absl::string_view path,
                                      const nlohmann::json& body) const;
  absl::Status Delete(absl::string_view path) const;
  // The raw response. `accept` is a header unless it is empty.
  absl::StatusOr<std::string> GetText(absl::string_view path, absl::string_view accept) const;
  // Calls `visit` with the elements of all pages, in order. Holds one page at a time: strangers may
  // write many and long comments. Follows Link headers (RFC 8288). A page is an array, or has one
  // under `field`. A page that is too long is read again in tenths (`per_page`). Stops after fifty
  // pages, or five hundred shorter ones.
  absl::Status Visit(absl::string_view path, absl::string_view field,
                     const std::function<void(const nlohmann::json&)>& visit) const;
  // The same elements at once, of a list to which only the repository's members and its CI add.
  absl::StatusOr<std::vector<nlohmann::json>> List(absl::string_view path,
                                                   absl::string_view field = "") const;

 private:
  absl::StatusOr<base::HttpResponse> Exchange(base::HttpRequest request) const;
  absl::StatusOr<base::HttpResponse> ExchangeOnce(const base::HttpRequest& request) const;
  absl::StatusOr<nlohmann::json> Parse(const base::HttpRequest& request,
                                       const base::HttpResponse& response) const;
  // Returns the URL of the next page, or nothing.
  absl::StatusOr<std::string> VisitPage(
      const base::HttpRequest& request, absl::string_view field,
      const std::function<void(const nlohmann::json&)>& visit) const;

  const RestOptions options_;
};

// A sentence shortened at its end, between words, to at most `max_bytes` and "…", which replaces
// the removed words. `text` is UTF-8.
std::string ShortenedAtEnd(absl::string_view text, size_t max_bytes);

// Fields of an untrusted response. Each returns the value if it is present and has the type, and an
// empty one otherwise.
std::string JsonText(const nlohmann::json& object, const char* field);
int64_t JsonNumber(const nlohmann::json& object, const char* field);
bool JsonTrue(const nlohmann::json& object, const char* field);
const nlohmann::json& JsonField(const nlohmann::json& object, const char* field);

}  // namespace gprofhub::reporter
