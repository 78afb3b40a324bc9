#include "cli/listen/peer_stream.h"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/strings/numbers.h"

namespace gprofhub::cli {

bool PeerStream::Wait(short events) const {
  waits_ = true;
  const bool is_ready = WaitForPeer(events);
  waits_ = false;
  return is_ready;
}

bool PeerStream::WaitForPeer(short events) const {
  while (true) {
    const absl::Duration left = absl::FromChrono(until_ - std::chrono::steady_clock::now());
    if (left <= absl::ZeroDuration()) return false;
    pollfd ready = {fd_, events, 0};
    const int count = poll(&ready, 1, static_cast<int>(absl::ToInt64Milliseconds(left)) + 1);
    if (count > 0) return true;
    if (count < 0 && errno != EINTR) return false;
  }
}

bool PeerStream::PeerHasLeft() const {
  pollfd ready = {fd_, POLLRDHUP, 0};  // in addition to POLLERR and POLLHUP
  return poll(&ready, 1, 0) > 0;
}

bool PeerStream::is_readable() const { return begin_ < end_ || Wait(POLLIN); }

bool PeerStream::is_writable() const { return Wait(POLLOUT); }

ssize_t PeerStream::read(char* bytes, size_t size) {
  if (begin_ == end_) {
    if (left_ == 0 || !Wait(POLLIN)) return -1;
    const ssize_t got = recv(fd_, buffer_.data(), std::min(buffer_.size(), left_), 0);
    if (got <= 0) return got;
    left_ -= static_cast<size_t>(got);
    begin_ = 0;
    end_ = static_cast<size_t>(got);
  }
  const size_t given = std::min(size, end_ - begin_);
  std::memcpy(bytes, buffer_.data() + begin_, given);
  begin_ += given;
  return static_cast<ssize_t>(given);
}

ssize_t PeerStream::write(const char* bytes, size_t size) {
  // httplib assumes complete writes. A long response waits for a slow reader, but only until the
  // deadline.
  size_t done = 0;
  while (done < size) {
    if (!Wait(POLLOUT)) return -1;
    const ssize_t sent = send(fd_, bytes + done, size - done, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      done += static_cast<size_t>(sent);
    } else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
      return -1;
    }
  }
  return static_cast<ssize_t>(size);
}

void PeerStream::get_remote_ip_and_port(std::string& ip, int& port) const {
  ip.clear();
  port = 0;
  sockaddr_storage address = {};
  socklen_t size = sizeof(address);
  std::array<char, NI_MAXHOST> host = {};
  std::array<char, NI_MAXSERV> service = {};
  if (getpeername(fd_, reinterpret_cast<sockaddr*>(&address), &size) != 0 ||
      getnameinfo(reinterpret_cast<sockaddr*>(&address), size, host.data(), host.size(),
                  service.data(), service.size(), NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return;
  }
  ip = host.data();
  if (!absl::SimpleAtoi(service.data(), &port)) port = 0;
}

void PeerStream::get_local_ip_and_port(std::string& ip, int& port) const {
  ip.clear();
  port = 0;
}

}  // namespace gprofhub::cli
