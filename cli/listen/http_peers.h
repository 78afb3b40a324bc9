// HTTP server for untrusted peers.
//
// So everything is bounded: the number of peers that are served at once, the time of each from its
// connection to the end of its response, and the number of bytes it may send. If all slots are
// taken, one peer is disconnected: of those that the server waits for, the one with the oldest
// connection. An honest request arrives in one piece, so it is served while slow peers are still
// sending. A peer that waits for the server keeps its slot. httplib parses; the connections are
// ours, because its own server waits for as long as a peer keeps sending a byte now and then.
#pragma once

#include <httplib.h>

#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cli/listen/listen_address.h"

namespace gprofhub::cli {

// Name under which the header Accept-Encoding is hidden from httplib, so that it neither compresses
// a compressed response again nor uses Brotli at its slowest level.
inline constexpr char kAcceptedEncodings[] = "Gprofhub-Accepted-Encodings";

// Whether the client has disconnected: a long-running handler polls this. Valid for a request
// during its handler's call. A client that has shut down its sending direction counts as gone, as
// in other servers (nginx, proxy_ignore_client_abort).
//
// httplib 0.11 hides the connection from handlers. So the function is passed in a field of its
// requests that only its client uses.
bool PeerHasLeft(const httplib::Request& request);

class HttpPeers {
 public:
  struct Options {
    size_t peers = 32;
    absl::Duration patience = absl::Seconds(10);
    size_t max_bytes = 64 << 10;  // of request line, headers and body
  };
  // Says what is answered to whom. The handlers are called from several threads.
  using Routes = std::function<void(httplib::Server& server)>;

  // Listens until destruction. Errors are ListenOn's.
  static absl::StatusOr<std::unique_ptr<HttpPeers>> Start(const ListenAddress& listen,
                                                          const Options& options,
                                                          const Routes& routes);
  ~HttpPeers();
  HttpPeers(const HttpPeers&) = delete;
  HttpPeers& operator=(const HttpPeers&) = delete;

  const ListenAddress& address() const;  // with the port that it has

 private:
  class Impl;
  explicit HttpPeers(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace gprofhub::cli
