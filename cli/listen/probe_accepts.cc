#include "cli/listen/probe_accepts.h"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <memory>

#include "absl/strings/str_cat.h"

namespace gprofhub::cli {
namespace {

constexpr std::chrono::seconds kPatience(5);
constexpr int kLookMilliseconds = 5;

}  // namespace

absl::Status ProbeAccepts(const ListenAddress& address, const ConnectionCounts& gate) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* list = nullptr;
  if (getaddrinfo(address.host.c_str(), absl::StrCat(address.port).c_str(), &hints, &list) != 0) {
    return absl::OkStatus();  // it was known when the listener began; names come and go
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> found(list, &freeaddrinfo);
  const int fd = socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return absl::OkStatus();
  const uint64_t before = gate.accepted;
  const auto until = std::chrono::steady_clock::now() + kPatience;
  // The kernel completes connections on its own; only the count shows that the gate accepted it.
  absl::Status status;
  if (connect(fd, found->ai_addr, found->ai_addrlen) != 0 && errno != EINPROGRESS) {
    status = absl::UnavailableError(
        absl::StrCat(address.ToString(), " cannot be connected to by this process itself"));
  }
  while (status.ok() && gate.accepted == before) {
    if (std::chrono::steady_clock::now() > until) {
      status = absl::DeadlineExceededError(
          absl::StrCat("no connection to ", address.ToString(), " is accepted"));
    }
    poll(nullptr, 0, kLookMilliseconds);
  }
  close(fd);
  return status;
}

}  // namespace gprofhub::cli
