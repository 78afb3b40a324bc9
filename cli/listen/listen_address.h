// Listening addresses of `gprofhub serve`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gprofhub::cli {

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

}  // namespace gprofhub::cli
