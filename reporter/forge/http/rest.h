// A forge's REST interface: JSON calls, pages, redirects and retries.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "reporter/forge/http/http.h"
#include "reporter/forge/http/retry.h"

namespace gprofhub::reporter {

struct RestOptions {
  std::string base_url;  // without a slash at the end
  HttpClient http;
  ForgeClock clock;
  // What every request carries, credentials included; asked for each time.
  std::function<absl::StatusOr<HttpHeaders>()> headers;
  RetryPolicy retry;
  // Taken off the front of answers (Gerrit's guard against cross-site reading).
  std::string json_prefix;
};

// A path begins with "/" and is below base_url. Redirects are followed for GET
// and only on the same server, as credentials go with them. Errors name the
// method, the path and what the forge said, never a header:
//   INVALID_ARGUMENT 400 and 422, UNAUTHENTICATED 401, PERMISSION_DENIED 403,
//   NOT_FOUND 404 and 410, ABORTED 409, UNAVAILABLE (with RetryAfterOf) for rate
//   limits, 5xx and no answer, INTERNAL for what is no JSON or anything else.
class RestApi {
 public:
  explicit RestApi(RestOptions options);

  // The answer as JSON; null where it has no body.
  absl::StatusOr<nlohmann::json> Get(absl::string_view path) const;
  absl::StatusOr<nlohmann::json> Send(absl::string_view method, absl::string_view path,
                                      const nlohmann::json& body) const;
  absl::Status Delete(absl::string_view path) const;
  // The answer as it is; `accept` as header where not empty.
  absl::StatusOr<std::string> GetText(absl::string_view path, absl::string_view accept) const;
  // The elements of all pages, by the Link headers (RFC 8288), in their order;
  // of each page the array itself, or the one under `field`. At most 50 pages:
  // what is beyond is left out.
  absl::StatusOr<std::vector<nlohmann::json>> List(absl::string_view path,
                                                   absl::string_view field = "") const;

 private:
  absl::StatusOr<HttpResponse> Exchange(HttpRequest request) const;
  absl::StatusOr<HttpResponse> ExchangeOnce(const HttpRequest& request) const;
  absl::StatusOr<nlohmann::json> Parse(const HttpRequest& request,
                                       const HttpResponse& response) const;

  const RestOptions options_;
};

// Fields of an answer that may hold anything: the value if it is there and of
// the type, else an empty one.
std::string JsonText(const nlohmann::json& object, const char* field);
int64_t JsonNumber(const nlohmann::json& object, const char* field);
bool JsonTrue(const nlohmann::json& object, const char* field);
const nlohmann::json& JsonField(const nlohmann::json& object, const char* field);

}  // namespace gprofhub::reporter
