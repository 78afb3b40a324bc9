// HTTP client: the interface, its implementation by libcurl, and which URLs may be asked.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace gprofhub::base {

// Policy for URLs that the client may request.

// INVALID_ARGUMENT unless the URL is https, or http to a loopback address (elsewhere a token would
// be sent in clear text), without user information, blanks and control characters.
absl::Status CheckHttpUrl(absl::string_view url);

// HTTP client interface: a function from a request to a response.

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
// the response is too large, INVALID_ARGUMENT if the URL is not allowed or a header is not
// printable ASCII, CANCELLED if the caller has cancelled. Their public messages (base/status.h)
// give the reason without the URL.
using HttpClient = std::function<absl::StatusOr<HttpResponse>(const HttpRequest&)>;

// HttpClient through libcurl.

struct CurlOptions {
  absl::Duration connect_timeout = absl::Seconds(10);
  // Of the whole exchange, without HttpRequest::extra_time.
  absl::Duration timeout = absl::Seconds(30);
  size_t max_response_bytes = 32 << 20;
  // Whether http is permitted to hosts other than loopback.
  bool allow_plain_http = false;
  // Keeps connections open for later requests. Saves handshakes for clients that poll a server.
  bool keep_connections = false;
  std::string ca_file;  // PEM; empty: the system's certificates
  // Returns whether the caller has cancelled. Polled about once a second; may be empty.
  std::function<bool()> cancelled;
};

// Uses the proxy of ProxyFor (base/network/network.h). Verifies certificates and host names.
// Follows no redirects (RestApi follows those within the same server), stores no cookies and reads
// no .netrc. Plain http is for loopback only, unless it is permitted explicitly, because a token
// would be sent in clear text. Thread-safe. A cancelled request returns CANCELLED.
HttpClient MakeCurlClient(const CurlOptions& options);

// Location of the system's trusted CA certificates.
//
// TLS libraries use the location of the distribution that built them. In the portable archive
// (packaging/portable) that is Debian's, but the archive runs on systems with other locations.

// A PEM file of CA certificates that this process can read, from the default locations of Debian,
// Fedora, SUSE and Alpine; empty if none exists.
std::string SystemAuthorities();

}  // namespace gprofhub::base
