// REST client of a forge: JSON calls, pagination, redirects and retries.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/http/http.h"
#include "reporter/forge/http/forge_clock.h"
#include "reporter/forge/http/retry.h"

namespace gprofhub::reporter {

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

// A path begins with "/" and is below base_url. Redirects are followed for GET only, and only on
// the same server, because credentials go with them. Errors contain the method, the path and the
// forge's message, never a header:
//   INVALID_ARGUMENT   400, 422
//   UNAUTHENTICATED    401
//   PERMISSION_DENIED  403
//   NOT_FOUND          404, 410
//   ABORTED            409
//   UNAVAILABLE        rate limits, 5xx, no response; with RetryAfterOf
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
  // The elements of all pages, in order. Follows Link headers (RFC 8288). A page is an array, or
  // has one under `field`. Stops after fifty pages.
  absl::StatusOr<std::vector<nlohmann::json>> List(absl::string_view path,
                                                   absl::string_view field = "") const;

 private:
  absl::StatusOr<base::HttpResponse> Exchange(base::HttpRequest request) const;
  absl::StatusOr<base::HttpResponse> ExchangeOnce(const base::HttpRequest& request) const;
  absl::StatusOr<nlohmann::json> Parse(const base::HttpRequest& request,
                                       const base::HttpResponse& response) const;

  const RestOptions options_;
};

// Fields of an untrusted response. Each returns the value if it is present and has the type, and an
// empty one otherwise.
std::string JsonText(const nlohmann::json& object, const char* field);
int64_t JsonNumber(const nlohmann::json& object, const char* field);
bool JsonTrue(const nlohmann::json& object, const char* field);
const nlohmann::json& JsonField(const nlohmann::json& object, const char* field);

}  // namespace gprofhub::reporter
