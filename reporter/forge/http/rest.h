// A forge's REST interface: JSON calls, pages, redirects and retries.
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
  std::string base_url;  // without a slash at the end
  base::HttpClient http;
  ForgeClock clock;
  // The headers of every request, credentials included. Called for each request.
  std::function<absl::StatusOr<base::HttpHeaders>()> headers;
  RetryPolicy retry;
  // Taken off the front of answers (Gerrit's guard against cross-site reading).
  std::string json_prefix;
};

// A path begins with "/" and is below base_url. Redirects are followed for GET only, and only on
// the same server, because credentials go with them. Errors name the method, the path and what the
// forge said, never a header:
//   INVALID_ARGUMENT   400, 422
//   UNAUTHENTICATED    401
//   PERMISSION_DENIED  403
//   NOT_FOUND          404, 410
//   ABORTED            409
//   UNAVAILABLE        rate limits, 5xx, no answer; with RetryAfterOf
//   INTERNAL           an answer that is no JSON, and anything else
class RestApi {
 public:
  explicit RestApi(RestOptions options);

  // The answer as JSON. Null if it has no body.
  absl::StatusOr<nlohmann::json> Get(absl::string_view path) const;
  absl::StatusOr<nlohmann::json> Send(absl::string_view method, absl::string_view path,
                                      const nlohmann::json& body) const;
  absl::Status Delete(absl::string_view path) const;
  // The answer as it is. `accept` is a header unless it is empty.
  absl::StatusOr<std::string> GetText(absl::string_view path, absl::string_view accept) const;
  // The elements of all pages, in their order. Link headers lead from page to page (RFC 8288). A
  // page is an array, or has it under `field`. Pages after the fiftieth are left out.
  absl::StatusOr<std::vector<nlohmann::json>> List(absl::string_view path,
                                                   absl::string_view field = "") const;

 private:
  absl::StatusOr<base::HttpResponse> Exchange(base::HttpRequest request) const;
  absl::StatusOr<base::HttpResponse> ExchangeOnce(const base::HttpRequest& request) const;
  absl::StatusOr<nlohmann::json> Parse(const base::HttpRequest& request,
                                       const base::HttpResponse& response) const;

  const RestOptions options_;
};

// Fields of an answer. It may hold anything. These give the value if it is there and has the type,
// and an empty one otherwise.
std::string JsonText(const nlohmann::json& object, const char* field);
int64_t JsonNumber(const nlohmann::json& object, const char* field);
bool JsonTrue(const nlohmann::json& object, const char* field);
const nlohmann::json& JsonField(const nlohmann::json& object, const char* field);

}  // namespace gprofhub::reporter
