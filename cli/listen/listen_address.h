// Where `gprofhub serve` listens.
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

// Listens on all addresses of the host that this machine has, on one port; gives the sockets, at
// least one, which do not block. "localhost" is 127.0.0.1 and ::1, whatever the resolver says (RFC
// 6761, section 6.3). `address.port` becomes the one that they have. ALREADY_EXISTS for a port in
// use at any of them: who connects to a name must not find somebody else. FAILED_PRECONDITION for a
// port that is root's, NOT_FOUND for addresses of which this machine has none.
absl::StatusOr<std::vector<int>> ListenOn(ListenAddress& address);

}  // namespace gprofhub::cli
