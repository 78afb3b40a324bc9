// Listens for HTTP from whoever reaches the port.
//
// So everything is bounded: how many peers are served at once, how long each may take from its
// connection to the end of its answer, and how many bytes it may send. If all places are taken, one
// peer has to go: of those that the server waits for, the one that has been there longest. An
// honest request comes in one piece, so it is served while silent peers still think. Who waits for
// the server keeps the place. httplib parses; the connections are ours, because its own server
// waits for as long as a peer keeps sending a byte now and then.
#pragma once

#include <httplib.h>

#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cli/listen/listen_address.h"

namespace gprofhub::cli {

// Under this name requests have their header Accept-Encoding, so that httplib does not pack what a
// route packed already, nor anything else with Brotli at its slowest.
inline constexpr char kAcceptedEncodings[] = "Gprofhub-Accepted-Encodings";

// Whether nobody waits for the answer any more: a handler that takes long asks now and then. Of a
// request that a handler was called with, while it is. Who has ended the connection's way to the
// server counts as gone, as at other servers (nginx, proxy_ignore_client_abort).
//
// httplib 0.11 keeps a handler from the connection. So the answer comes through a field of its
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
