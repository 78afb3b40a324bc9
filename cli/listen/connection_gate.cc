// gRPC does not report the end of a connection. So the gate keeps a duplicate of each connection's
// descriptor, and waits by epoll for its end only: EPOLLHUP comes when both directions are shut
// down, which gRPC does before it closes its own, and the kernel does on a reset.

#include "cli/listen/connection_gate.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace gprofhub::cli {
namespace {

// For the store, its blobs, clients of databases and forges, logs.
constexpr uint64_t kOtherDescriptors = 200;
constexpr uint64_t kMostConnections = 4096;
constexpr int kPauseMilliseconds = 100;

std::string PeerOf(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    return absl::StrCat("4:", ntohl(v4.sin_addr.s_addr));
  }
  if (address.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
    if (IN6_IS_ADDR_V4MAPPED(&v6)) {
      uint32_t v4 = 0;
      std::memcpy(&v4, v6.s6_addr + 12, sizeof(v4));
      return absl::StrCat("4:", ntohl(v4));
    }
    uint64_t network = 0;
    std::memcpy(&network, v6.s6_addr, sizeof(network));
    return absl::StrCat("6:", network);
  }
  return "other";
}

bool WatchFor(int epoll_fd, int fd, uint32_t events) {
  epoll_event event = {};
  event.events = events;
  event.data.fd = fd;
  return epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

}  // namespace

uint64_t ConnectionsFor(uint64_t descriptors) {
  if (descriptors <= kOtherDescriptors + 2) return 1;
  return std::min(kMostConnections, (descriptors - kOtherDescriptors) / 2);
}

uint64_t RaiseDescriptorLimit() {
  rlimit limit = {};
  getrlimit(RLIMIT_NOFILE, &limit);
  const rlim_t wanted = 2 * kMostConnections + kOtherDescriptors;
  if (limit.rlim_cur >= wanted) return limit.rlim_cur;
  const rlim_t before = std::exchange(limit.rlim_cur, std::min(limit.rlim_max, wanted));
  return setrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : before;
}

absl::StatusOr<std::unique_ptr<ConnectionGate>> ConnectionGate::Open(std::vector<int> listen_fds,
                                                                     uint64_t connections,
                                                                     Take take) {
  const int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
  const int stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  std::unique_ptr<ConnectionGate> gate(
      new ConnectionGate(std::move(listen_fds), epoll_fd, stop_fd, connections, std::move(take)));
  bool is_watching = epoll_fd >= 0 && stop_fd >= 0 && WatchFor(epoll_fd, stop_fd, EPOLLIN);
  for (const int fd : gate->listen_fds_) {
    is_watching = is_watching && WatchFor(epoll_fd, fd, EPOLLIN);
  }
  if (!is_watching) {
    return absl::UnavailableError(absl::StrCat("cannot wait for connections: ", strerror(errno)));
  }
  gate->thread_ = std::thread([gate = gate.get()] { gate->Run(); });
  return gate;
}

ConnectionGate::ConnectionGate(std::vector<int> listen_fds, int epoll_fd, int stop_fd,
                               uint64_t connections, Take take)
    : listen_fds_(std::move(listen_fds)),
      epoll_fd_(epoll_fd),
      stop_fd_(stop_fd),
      take_(std::move(take)),
      // One peer gets a third of it, and at least one connection.
      places_(std::max<uint64_t>(connections, 3), 2) {}

ConnectionGate::~ConnectionGate() {
  if (thread_.joinable()) {
    const uint64_t one = 1;
    // An eventfd that counts 1 takes another 1.
    if (write(stop_fd_, &one, sizeof(one)) != sizeof(one)) std::abort();
    thread_.join();
  }
  for (const auto& [fd, peer] : watched_) close(fd);
  for (const int fd : listen_fds_) close(fd);
  for (const int fd : {epoll_fd_, stop_fd_}) {
    if (fd >= 0) close(fd);
  }
}

bool ConnectionGate::IsListening(int fd) const {
  return std::find(listen_fds_.begin(), listen_fds_.end(), fd) != listen_fds_.end();
}

void ConnectionGate::Run() {
  std::array<epoll_event, 64> events;
  bool accepting = true;
  for (;;) {
    const int count =
        epoll_wait(epoll_fd_, events.data(), events.size(), accepting ? -1 : kPauseMilliseconds);
    bool asked = !accepting && count == 0;  // the pause is over
    for (int i = 0; i < count; ++i) {
      const int fd = events[i].data.fd;
      if (fd == stop_fd_) return;
      if (IsListening(fd)) {
        asked = true;
      } else if ((events[i].events & (EPOLLHUP | EPOLLERR)) != 0) {
        Forget(fd);
      }
    }
    if (!asked) continue;
    const bool had_descriptors = AcceptAll();
    if (had_descriptors == accepting) continue;
    // When descriptors run out, connections wait in the kernel's queue.
    accepting = had_descriptors;
    for (const int fd : listen_fds_) {
      if (accepting) {
        WatchFor(epoll_fd_, fd, EPOLLIN);
      } else {
        epoll_ctl(epoll_fd_, EPOLL_CTL_DEL, fd, nullptr);
      }
    }
  }
}

bool ConnectionGate::AcceptAll() {
  return std::all_of(listen_fds_.begin(), listen_fds_.end(),
                     [this](int fd) { return AcceptAllFrom(fd); });
}

bool ConnectionGate::AcceptAllFrom(int listen_fd) {
  for (;;) {
    sockaddr_storage address = {};
    socklen_t size = sizeof(address);
    const int fd = accept4(listen_fd, reinterpret_cast<sockaddr*>(&address), &size,
                           SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
      Admit(fd, PeerOf(address));
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      return false;
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return true;
    }
    // After any other error, the connection is gone, and the next one is accepted.
  }
}

void ConnectionGate::Admit(int fd, const std::string& peer) {
  ++counts_->accepted;
  if (!places_.Take(peer, 1)) {
    ++counts_->refused;
    close(fd);
    return;
  }
  const int watched = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (watched < 0 || !WatchFor(epoll_fd_, watched, 0)) {
    ++counts_->refused;
    if (watched >= 0) close(watched);
    places_.Give(peer, 1);
    close(fd);
    return;
  }
  watched_[watched] = peer;
  ++counts_->open;
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  take_(fd);
}

void ConnectionGate::Forget(int watched_fd) {
  const auto found = watched_.find(watched_fd);
  if (found == watched_.end()) return;
  places_.Give(found->second, 1);
  watched_.erase(found);
  --counts_->open;
  close(watched_fd);
}

}  // namespace gprofhub::cli
