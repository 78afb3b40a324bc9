#include "tests/attack/raw_http2.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>

#include "absl/strings/str_cat.h"

namespace gprofhub::tests {
namespace {

constexpr size_t kFrameHead = 9;
constexpr size_t kMostFrameBytes = 16'384;
constexpr uint16_t kInitialWindowSize = 4;  // a setting

void AppendBigEndian(std::string& bytes, uint32_t number, int size) {
  for (int i = size - 1; i >= 0; --i) bytes.push_back(static_cast<char>(number >> (8 * i)));
}

uint32_t BigEndian(absl::string_view bytes) {
  uint32_t number = 0;
  for (const char c : bytes) number = (number << 8) | static_cast<uint8_t>(c);
  return number;
}

// RFC 7541, 5.1, with a prefix of seven bits.
void AppendHpackString(std::string& bytes, absl::string_view text) {
  size_t size = text.size();
  if (size < 127) {
    bytes.push_back(static_cast<char>(size));
  } else {
    bytes.push_back(127);
    for (size -= 127; size >= 128; size >>= 7) {
      bytes.push_back(static_cast<char>((size & 127) | 128));
    }
    bytes.push_back(static_cast<char>(size));
  }
  bytes.append(text.data(), text.size());
}

}  // namespace

std::string FrameBytes(uint8_t type, uint8_t flags, uint32_t stream, absl::string_view payload) {
  std::string bytes;
  AppendBigEndian(bytes, static_cast<uint32_t>(payload.size()), 3);
  bytes.push_back(static_cast<char>(type));
  bytes.push_back(static_cast<char>(flags));
  AppendBigEndian(bytes, stream, 4);
  bytes.append(payload.data(), payload.size());
  return bytes;
}

std::string Header(absl::string_view name, absl::string_view value) {
  std::string bytes(1, '\0');
  AppendHpackString(bytes, name);
  AppendHpackString(bytes, value);
  return bytes;
}

std::string CallHeaders(absl::string_view path, absl::string_view more) {
  return absl::StrCat(Header(":method", "POST"), Header(":scheme", "http"), Header(":path", path),
                      Header(":authority", "gprofhub"), Header("te", "trailers"),
                      Header("content-type", "application/grpc"), more);
}

std::string GrpcMessage(absl::string_view bytes, bool compressed) {
  std::string message(1, compressed ? '\1' : '\0');
  AppendBigEndian(message, static_cast<uint32_t>(bytes.size()), 4);
  message.append(bytes.data(), bytes.size());
  return message;
}

RawConnection::RawConnection(const std::string& address, uint32_t from_host)
    : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  EXPECT_GE(fd_, 0);
  sockaddr_in from = {};
  from.sin_family = AF_INET;
  from.sin_addr.s_addr = htonl(0x7f000000 + from_host);
  EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&from), sizeof(from)), 0);
  sockaddr_in to = {};
  to.sin_family = AF_INET;
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  to.sin_port =
      htons(static_cast<uint16_t>(std::atoi(address.substr(address.rfind(':') + 1).c_str())));
  EXPECT_EQ(connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof(to)), 0) << address;
}

RawConnection::~RawConnection() { close(fd_); }

bool RawConnection::SendPreface() {
  return Send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") && Send(FrameBytes(kSettings, 0, 0, ""));
}

bool RawConnection::Send(absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

std::optional<Frame> RawConnection::Receive() {
  std::array<char, 65'536> buffer;
  const auto frame_size = [this] {
    return received_.size() < kFrameHead
               ? kFrameHead
               : kFrameHead + BigEndian(absl::string_view(received_).substr(0, 3));
  };
  while (received_.size() < frame_size()) {
    const ssize_t count = recv(fd_, buffer.data(), buffer.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;
    received_.append(buffer.data(), static_cast<size_t>(count));
  }
  const size_t size = frame_size();
  Frame frame;
  frame.type = static_cast<uint8_t>(received_[3]);
  frame.flags = static_cast<uint8_t>(received_[4]);
  frame.stream = BigEndian(absl::string_view(received_).substr(5, 4));
  frame.payload = received_.substr(kFrameHead, size - kFrameHead);
  received_.erase(0, size);
  if (frame.type == kSettings && (frame.flags & kAck) == 0) {
    for (size_t at = 0; at + 6 <= frame.payload.size(); at += 6) {
      const absl::string_view setting = absl::string_view(frame.payload).substr(at, 6);
      if (BigEndian(setting.substr(0, 2)) == kInitialWindowSize) {
        initial_window_ = BigEndian(setting.substr(2));
      }
    }
    Send(FrameBytes(kSettings, kAck, 0, ""));
  } else if (frame.type == kPing && (frame.flags & kAck) == 0) {
    Send(FrameBytes(kPing, kAck, 0, frame.payload));
  } else if (frame.type == kWindowUpdate) {
    (frame.stream == 0 ? connection_window_ : windows_[frame.stream]) += BigEndian(frame.payload);
  } else if (frame.type == kReset || (frame.type == kHeaders && (frame.flags & kEndStream) != 0) ||
             (frame.type == kData && (frame.flags & kEndStream) != 0)) {
    ended_[frame.stream] = true;
  }
  return frame;
}

void RawConnection::AwaitClosed() {
  std::array<char, 4096> buffer;
  for (ssize_t count = 1; count > 0 || errno == EINTR;) {
    errno = 0;
    count = recv(fd_, buffer.data(), buffer.size(), 0);
    if (count == 0) return;
  }
}

bool RawConnection::AwaitRead() {
  if (!Send(FrameBytes(kPing, 0, 0, "read me?"))) return false;
  while (const std::optional<Frame> frame = Receive()) {
    if (frame->type == kPing && (frame->flags & kAck) != 0) return true;
  }
  return false;
}

bool RawConnection::SendData(uint32_t stream, absl::string_view bytes) {
  while (!bytes.empty()) {
    const int64_t window = std::min(connection_window_, initial_window_ + windows_[stream]);
    if (ended_[stream]) return false;
    if (window <= 0) {
      if (!Receive().has_value()) return false;
      continue;
    }
    const size_t size = std::min({bytes.size(), kMostFrameBytes, static_cast<size_t>(window)});
    if (!Send(FrameBytes(kData, 0, stream, bytes.substr(0, size)))) return false;
    bytes.remove_prefix(size);
    connection_window_ -= static_cast<int64_t>(size);
    windows_[stream] -= static_cast<int64_t>(size);
  }
  return true;
}

bool RawConnection::AwaitEnd(uint32_t stream) {
  while (!ended_[stream] && Receive().has_value()) {
  }
  return ended_[stream];
}

}  // namespace gprofhub::tests
