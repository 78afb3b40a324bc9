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
  // Whether http may be spoken to other machines, too.
  bool allow_plain_http = false;
  // Whether a connection stays open for later requests. Whoever asks a server often saves the
  // handshakes.
  bool keep_connections = false;
  std::string ca_file;  // PEM; empty: the system's certificates
  // Whether nobody wants the answer any more. It is asked about once a second; may be empty.
  std::function<bool()> cancelled;
};

// Certificates and host names are checked. No redirect is followed: RestApi follows those that stay
// on the server. No cookie is kept, and no .netrc is read. Plain http is for loopback only:
// elsewhere a token would be sent in the clear, unless it is allowed. The client may be called from
// several threads. An exchange that was cancelled is CANCELLED.
HttpClient MakeCurlClient(const CurlOptions& options);

}  // namespace gprofhub::base
