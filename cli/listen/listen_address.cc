#include "cli/listen/listen_address.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace gprofhub::cli {
namespace {

constexpr int kTriesForAFreePort = 20;

// One address as the kernel takes it.
struct SocketAddress {
  sockaddr_storage bytes = {};
  socklen_t size = 0;

  sockaddr* get() { return reinterpret_cast<sockaddr*>(&bytes); }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&bytes); }
  uint16_t port() const {
    return ntohs(bytes.ss_family == AF_INET6
                     ? reinterpret_cast<const sockaddr_in6&>(bytes).sin6_port
                     : reinterpret_cast<const sockaddr_in&>(bytes).sin_port);
  }
  void SetPort(uint16_t port) {
    (bytes.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(bytes).sin6_port
                                 : reinterpret_cast<sockaddr_in&>(bytes).sin_port) = htons(port);
  }
};

bool IsSame(const SocketAddress& a, const SocketAddress& b) {
  return a.size == b.size && std::memcmp(&a.bytes, &b.bytes, a.size) == 0;
}

// Adds the addresses of a host's name or number, each once.
absl::Status Resolve(const std::string& host, uint16_t port, std::vector<SocketAddress>& all) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(host.c_str(), absl::StrCat(port).c_str(), &hints, &found);
  if (error != 0) {
    return absl::NotFoundError(
        absl::StrCat("no address for host \"", host, "\": ", gai_strerror(error)));
  }
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    SocketAddress address;
    address.size = one->ai_addrlen;
    std::memcpy(&address.bytes, one->ai_addr, one->ai_addrlen);
    const bool is_known = std::any_of(
        all.begin(), all.end(), [&](const SocketAddress& known) { return IsSame(known, address); });
    if (!is_known) all.push_back(address);
  }
  freeaddrinfo(found);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<SocketAddress>> AddressesOf(const ListenAddress& address) {
  std::vector<SocketAddress> all;
  std::vector<std::string> hosts = {address.host};
  if (absl::EqualsIgnoreCase(address.host, "localhost")) hosts = {"127.0.0.1", "::1"};
  for (const std::string& host : hosts) {
    if (absl::Status status = Resolve(host, address.port, all); !status.ok()) return status;
  }
  return all;
}

bool IsLoopbackAddress(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    return (ntohl(v4.sin_addr.s_addr) >> 24) == 127;
  }
  if (address.sa_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
    return IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr);
  }
  return false;
}

absl::Status BindError(const ListenAddress& address, int error) {
  const std::string where = address.ToString();
  switch (error) {
    case EADDRINUSE:
      return absl::AlreadyExistsError(absl::StrCat(
          where,
          " is in use by another process: stop it, or give another --listen (port 0 picks a "
          "free one)"));
    case EACCES:
      return absl::FailedPreconditionError(
          absl::StrCat("not allowed to listen on ", where, ": ports below 1024 are root's"));
    case EADDRNOTAVAIL:
      return absl::NotFoundError(absl::StrCat(where, " is not an address of this machine"));
    default:
      return absl::UnavailableError(
          absl::StrCat("cannot listen on ", where, ": ", std::strerror(error)));
  }
}

// A socket that listens, or -1 and errno in `error`.
int TryListen(const SocketAddress& address, int& error) {
  const int fd = socket(address.bytes.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  error = errno;
  if (fd < 0) return fd;
  // As gRPC does: a port in TIME_WAIT is free.
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (bind(fd, address.get(), address.size) == 0 && listen(fd, SOMAXCONN) == 0) return fd;
  error = errno;
  close(fd);
  return -1;
}

// The machine has no such address: a name's other addresses will do.
bool IsNotOurs(int error) {
  return error == EADDRNOTAVAIL || error == EAFNOSUPPORT || error == EPROTONOSUPPORT;
}

struct Listening {
  std::vector<int> sockets;  // empty after an error
  uint16_t port = 0;         // that they have
  int error = 0;             // of the last address that did not do
};

// Where the addresses have port 0, the first one picks a port for all.
Listening ListenOnAll(std::vector<SocketAddress> addresses) {
  Listening all;
  for (SocketAddress& address : addresses) {
    if (all.port != 0) address.SetPort(all.port);
    const int fd = TryListen(address, all.error);
    if (fd >= 0) {
      all.sockets.push_back(fd);
      SocketAddress bound;
      bound.size = sizeof(bound.bytes);
      if (getsockname(fd, bound.get(), &bound.size) == 0) all.port = bound.port();
    } else if (!IsNotOurs(all.error)) {
      for (const int other : all.sockets) close(other);
      all.sockets.clear();
      return all;
    }
  }
  return all;
}

}  // namespace

std::string ListenAddress::ToString() const {
  if (absl::StrContains(host, ':')) return absl::StrCat("[", host, "]:", port);
  return absl::StrCat(host, ":", port);
}

absl::StatusOr<ListenAddress> ParseListenAddress(absl::string_view text) {
  const size_t colon = text.rfind(':');
  ListenAddress address;
  uint32_t port = 0;
  if (colon != absl::string_view::npos && absl::SimpleAtoi(text.substr(colon + 1), &port) &&
      port <= 65535) {
    absl::string_view host = text.substr(0, colon);
    const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
    if (bracketed) host = host.substr(1, host.size() - 2);
    const bool allowed = !host.empty() && host.find_first_of("[]") == absl::string_view::npos;
    if (allowed && bracketed == absl::StrContains(host, ':')) {
      address.host = std::string(host);
      address.port = static_cast<uint16_t>(port);
      return address;
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat("\"", text, "\" is not HOST:PORT, such as 127.0.0.1:7070 or [::1]:7070"));
}

absl::StatusOr<bool> IsLoopback(const ListenAddress& address) {
  const absl::StatusOr<std::vector<SocketAddress>> found = AddressesOf(address);
  if (!found.ok()) return found.status();
  return std::all_of(found->begin(), found->end(),
                     [](const SocketAddress& one) { return IsLoopbackAddress(*one.get()); });
}

absl::StatusOr<std::vector<int>> ListenOn(ListenAddress& address) {
  const absl::StatusOr<std::vector<SocketAddress>> found = AddressesOf(address);
  if (!found.ok()) return found.status();
  Listening all = ListenOnAll(*found);
  // A port that the first address picked may be in use at the second.
  for (int i = 1; i < kTriesForAFreePort && address.port == 0 && all.error == EADDRINUSE; ++i) {
    all = ListenOnAll(*found);
  }
  if (all.sockets.empty()) return BindError(address, all.error);
  address.port = all.port;
  return std::move(all.sockets);
}

}  // namespace gprofhub::cli
