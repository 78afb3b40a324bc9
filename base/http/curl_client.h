// HttpClient through libcurl.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "absl/time/time.h"
#include "base/http/http.h"

namespace gprofhub::base {

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

// Verifies certificates and host names. Follows no redirects (RestApi follows those within the same
// server), stores no cookies and reads no .netrc. Plain http is for loopback only, unless it is
// permitted explicitly, because a token would be sent in clear text. Thread-safe. A cancelled
// request returns CANCELLED.
HttpClient MakeCurlClient(const CurlOptions& options);

}  // namespace gprofhub::base
