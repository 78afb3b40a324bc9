// Listening addresses of `gprofhub serve`.
#pragma once

#include <httplib.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "reporter/forge/hook_request.h"

namespace gprofhub::server {

struct ListenAddress {
  std::string host;   // a name or number, an IPv6 one without its brackets
  uint16_t port = 0;  // 0: any free one

  // "host:port", "[host]:port" for IPv6.
  std::string ToString() const;
};

// INVALID_ARGUMENT unless `text` is HOST:PORT or [IPV6]:PORT.
absl::StatusOr<ListenAddress> ParseListenAddress(absl::string_view text);

// Whether the address is reachable from this machine only. NOT_FOUND for a host
// that has no address.
absl::StatusOr<bool> IsLoopback(const ListenAddress& address);

// Listens on all local addresses of the host, on one port; returns the sockets, at least one, which
// are non-blocking. "localhost" is 127.0.0.1 and ::1, regardless of the resolver (RFC 6761, section
// 6.3). `address.port` is set to the actual port. ALREADY_EXISTS for a port in use at any of them:
// a client that connects to the name must not reach another server. FAILED_PRECONDITION for a
// privileged port, NOT_FOUND if none of the addresses is local.
absl::StatusOr<std::vector<int>> ListenOn(ListenAddress& address);

// Listens for forges' webhooks, open to any client (server/listen/listen_address.h).

struct HookListenerOptions {
  ListenAddress listen;
  std::string secret;
  size_t peers = 32;
  absl::Duration patience = absl::Seconds(10);
  size_t max_body_bytes = 1 << 20;
  // Replay protection: repeated requests are refused for this time, up to this number of requests.
  absl::Duration remember_for = absl::Hours(24);
  size_t remember = 10000;
  std::function<absl::Time()> now = absl::Now;
  // Called with the code of each response; must not block.
  std::function<void(int code)> on_answered = [](int) {};
};

class HookListener {
 public:
  // Called with each comment. NOT_FOUND: unknown repository. Called from several threads.
  using OnComment = std::function<absl::Status(const reporter::HookComment&)>;

  // Listens until destruction. Errors are ListenOn's.
  //
  // POST to "/" only. Responses: 204 accepted, or ignored; 400 malformed event; 401 wrong secret;
  // 404 unknown repository, or another path; 409 replayed; 411 no length; 413 too long; 415
  // compressed, or an unsupported content type; 503 the store has failed, retry. The body of a
  // refusal is the reason.
  static absl::StatusOr<std::unique_ptr<HookListener>> Start(HookListenerOptions options,
                                                             OnComment on_comment);
  ~HookListener();
  HookListener(const HookListener&) = delete;
  HookListener& operator=(const HookListener&) = delete;

  const ListenAddress& address() const;  // with the port that it has

  // From now on this is the secret.
  void SetSecret(std::string secret);

 private:
  class Impl;
  explicit HookListener(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// HTTP server for untrusted peers.
//
// So everything is bounded: the number of peers that are served at once, the time of each from its
// connection to the end of its response, and the number of bytes it may send. If all slots are
// taken, one peer is disconnected: of those that the server waits for, the one with the oldest
// connection. An honest request arrives in one piece, so it is served while slow peers are still
// sending. A peer that waits for the server keeps its slot. httplib parses; the connections are
// ours, because its own server waits for as long as a peer keeps sending a byte now and then.

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

}  // namespace gprofhub::server
