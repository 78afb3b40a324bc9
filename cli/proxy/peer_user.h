// Whose process is at the other end of a connection within this machine.
//
// TCP carries no user, but the kernel knows whose each of its sockets is: proc(5), /proc/net/tcp.
// The row of the peer's end is the one whose local address is the peer's, and whose remote port is
// ours. It is there as long as the connection is. The same local port may be another user's, too,
// who is connected to another address of this machine. Which address of ours the peer has reached,
// gRPC does not say. So where two users' sockets may be the peer's, it is neither's.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gprofhub::cli {

// `peer` as gRPC names it ("ipv4:127.0.0.1:41234", "ipv6:%5B::1%5D:41234"), `port` our own.
// NOT_FOUND: there is no such connection (any more), or it may be several users'. UNAVAILABLE: the
// kernel does not tell.
absl::StatusOr<uid_t> UserOfPeer(const std::string& peer, uint16_t port);

// The same of the tables' texts, that of IPv4 and that of IPv6 together.
std::optional<uid_t> UserInTable(absl::string_view table, const std::string& peer, uint16_t port);

}  // namespace gprofhub::cli
