// HTTP client interface: a function from a request to a response.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace gprofhub::base {

using HttpHeaders = std::map<std::string, std::string>;

struct HttpRequest {
  std::string method;  // "GET", "POST", "PATCH", "PUT", "DELETE", "HEAD"
  std::string url;
  HttpHeaders headers;
  std::string body;
  // Maximum size of the response's headers and body; 0: the client's default.
  size_t max_response_bytes = 0;
  // Unless empty, sent in place of `body` and without a copy; outlives the exchange.
  absl::string_view borrowed_body = {};
  // Added to the client's timeout, for instance for a long body.
  absl::Duration extra_time = absl::ZeroDuration();
};

struct HttpResponse {
  int status = 0;
  HttpHeaders headers;  // names in lower case; of repeated headers the last
  std::string body;
};

// Any response of the server is OK, regardless of its HTTP status. Errors: UNAVAILABLE if there was
// no response (the server may have received the request), DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED if
// the response is too large, INVALID_ARGUMENT if the URL is not allowed, CANCELLED if the caller
// has cancelled. Their public messages (base/public_message.h) give the reason without the URL.
using HttpClient = std::function<absl::StatusOr<HttpResponse>(const HttpRequest&)>;

}  // namespace gprofhub::base
