#include "analyzer/worker/child/channel.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace gprofhub::analyzer {
namespace {

constexpr size_t kStep = 1 << 20;

using Header = std::array<uint64_t, 2>;

}  // namespace

Channel::~Channel() { close(socket_); }

absl::Status Channel::Ready(short events) const {
  return wait_ ? wait_(socket_, events) : absl::OkStatus();
}

absl::Status Channel::SendAll(const char* data, size_t size) {
  const int flags = MSG_NOSIGNAL | (wait_ ? MSG_DONTWAIT : 0);
  while (size > 0) {
    if (absl::Status status = Ready(POLLOUT); !status.ok()) return status;
    const ssize_t sent = send(socket_, data, size, flags);
    if (sent < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (sent < 0) return absl::UnavailableError(absl::StrCat("sending: ", std::strerror(errno)));
    data += sent;
    size -= static_cast<size_t>(sent);
  }
  return absl::OkStatus();
}

absl::Status Channel::ReceiveAll(char* data, size_t size) {
  while (size > 0) {
    if (absl::Status status = Ready(POLLIN); !status.ok()) return status;
    const ssize_t got = recv(socket_, data, size, wait_ ? MSG_DONTWAIT : 0);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) return absl::UnavailableError(absl::StrCat("receiving: ", std::strerror(errno)));
    if (got == 0) return absl::UnavailableError("the other end has gone");
    data += got;
    size -= static_cast<size_t>(got);
  }
  return absl::OkStatus();
}

absl::Status Channel::Send(uint64_t kind, absl::string_view bytes) {
  const Header header = {kind, bytes.size()};
  absl::Status status = SendAll(reinterpret_cast<const char*>(header.data()), sizeof header);
  if (!status.ok()) return status;
  return SendAll(bytes.data(), bytes.size());
}

absl::StatusOr<Frame> Channel::Receive(uint64_t most_bytes) {
  Header header = {};
  absl::Status status = ReceiveAll(reinterpret_cast<char*>(header.data()), sizeof header);
  if (!status.ok()) return status;
  const uint64_t size = header[1];
  if (size > most_bytes) {
    return absl::OutOfRangeError(
        absl::StrCat("a frame of ", size, " bytes; at most ", most_bytes, " are allowed"));
  }
  Frame frame;
  frame.kind = header[0];
  while (frame.bytes.size() < size) {
    const size_t at = frame.bytes.size();
    const size_t step = std::min<size_t>(kStep, size - at);
    frame.bytes.resize(at + step);
    status = ReceiveAll(frame.bytes.data() + at, step);
    if (!status.ok()) return status;
  }
  return frame;
}

}  // namespace gprofhub::analyzer
