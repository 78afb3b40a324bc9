// HTTP as the forges' clients see it: a function from a request to an answer.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace gprofhub::reporter {

using HttpHeaders = std::map<std::string, std::string>;

struct HttpRequest {
  std::string method;  // "GET", "POST", "PATCH", "PUT", "DELETE"
  std::string url;
  HttpHeaders headers;
  std::string body;
};

struct HttpResponse {
  int status = 0;
  HttpHeaders headers;  // names in lower case; of equal names the last header
  std::string body;
};

// Any answer of the server is OK, whatever its status. Errors: UNAVAILABLE if there was no answer
// (the request may have arrived all the same), DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED if the answer
// is too long, INVALID_ARGUMENT if the URL is not allowed, CANCELLED if nobody waits any more.
using HttpClient = std::function<absl::StatusOr<HttpResponse>(const HttpRequest&)>;

// How a client reads the time and waits. Tests give their own.
struct ForgeClock {
  std::function<absl::Time()> now;
  std::function<void(absl::Duration)> sleep;
};

}  // namespace gprofhub::reporter
