// Where `gprofhub serve` listens.
#pragma once

#include <cstdint>
#include <string>

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

// Listens on the first of the host's addresses that it can; gives the socket, which does not block.
// `address.port` becomes the one that it has. ALREADY_EXISTS for a port in use, FAILED_PRECONDITION
// for one that is root's, NOT_FOUND for an address that this machine does not have.
absl::StatusOr<int> ListenOn(ListenAddress& address);

}  // namespace gprofhub::cli
