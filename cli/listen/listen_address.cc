#include "cli/listen/listen_address.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace gprofhub::cli {
namespace {

struct FreeAddresses {
  void operator()(addrinfo* addresses) const { freeaddrinfo(addresses); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

absl::StatusOr<Addresses> Resolve(const ListenAddress& address) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error =
      getaddrinfo(address.host.c_str(), absl::StrCat(address.port).c_str(), &hints, &found);
  if (error != 0) {
    return absl::NotFoundError(
        absl::StrCat("no address for host \"", address.host, "\": ", gai_strerror(error)));
  }
  return Addresses(found);
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
int TryListen(const addrinfo& address, int backlog, int& error) {
  const int fd = socket(address.ai_family, address.ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  error = errno;
  if (fd < 0) return fd;
  // As gRPC does: a port in TIME_WAIT is free.
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (bind(fd, address.ai_addr, address.ai_addrlen) == 0 && listen(fd, backlog) == 0) return fd;
  error = errno;
  close(fd);
  return -1;
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
  const absl::StatusOr<Addresses> found = Resolve(address);
  if (!found.ok()) return found.status();
  for (const addrinfo* one = found->get(); one != nullptr; one = one->ai_next) {
    if (!IsLoopbackAddress(*one->ai_addr)) return false;
  }
  return true;
}

absl::StatusOr<int> ListenOn(ListenAddress& address) {
  const absl::StatusOr<Addresses> found = Resolve(address);
  if (!found.ok()) return found.status();
  int error = 0;
  for (const addrinfo* one = found->get(); one != nullptr; one = one->ai_next) {
    const int fd = TryListen(*one, SOMAXCONN, error);
    if (fd < 0) continue;
    sockaddr_storage bound = {};
    socklen_t size = sizeof(bound);
    if (getsockname(fd, reinterpret_cast<sockaddr*>(&bound), &size) == 0) {
      address.port =
          ntohs(bound.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(bound).sin6_port
                                            : reinterpret_cast<const sockaddr_in&>(bound).sin_port);
    }
    return fd;
  }
  return BindError(address, error);
}

}  // namespace gprofhub::cli
