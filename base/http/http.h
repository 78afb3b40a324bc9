// HTTP as its clients see it: a function from a request to an answer.
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
  // Of the answer, headers and body; 0: as the client says for all requests.
  size_t max_response_bytes = 0;
  // Unless empty, sent in place of `body` and without a copy; outlives the exchange.
  absl::string_view borrowed_body = {};
  // Added to the client's timeout, for instance for a long body.
  absl::Duration extra_time = absl::ZeroDuration();
};

struct HttpResponse {
  int status = 0;
  HttpHeaders headers;  // names in lower case; of equal names the last header
  std::string body;
};

// Any answer of the server is OK, whatever its status. Errors: UNAVAILABLE if there was no answer
// (the request may have arrived all the same), DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED if the answer
// is too long, INVALID_ARGUMENT if the URL is not allowed, CANCELLED if nobody waits any more.
// Their words for clients (base/public_message.h) say why, without the URL.
using HttpClient = std::function<absl::StatusOr<HttpResponse>(const HttpRequest&)>;

}  // namespace gprofhub::base
