// HTTP/2 as an attacker writes it: frame by frame (RFC 9113), without a library that enforces the
// protocol.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace gprofhub::tests {

enum FrameType : uint8_t {
  kData = 0,
  kHeaders = 1,
  kReset = 3,
  kSettings = 4,
  kPing = 6,
  kGoAway = 7,
  kWindowUpdate = 8,
  kContinuation = 9,
};
inline constexpr uint8_t kEndStream = 1;  // of DATA and HEADERS
inline constexpr uint8_t kAck = 1;        // of SETTINGS and PING
inline constexpr uint8_t kEndHeaders = 4;

struct Frame {
  uint8_t type = 0;
  uint8_t flags = 0;
  uint32_t stream = 0;
  std::string payload;
};

std::string FrameBytes(uint8_t type, uint8_t flags, uint32_t stream, absl::string_view payload);

// One header as a literal that enters no table (RFC 7541, 6.2.2).
std::string Header(absl::string_view name, absl::string_view value);
// The headers of a gRPC call, `more` after them.
std::string CallHeaders(absl::string_view path, absl::string_view more = "");
// A gRPC message with its five bytes in front.
std::string GrpcMessage(absl::string_view bytes, bool compressed = false);

// A connection to "127.0.0.1:PORT". Blocking calls wait until the peer does its part or closes.
class RawConnection {
 public:
  // From 127.0.0.`from_host`, so that one machine can be several peers. Fails the running test if
  // it cannot connect.
  explicit RawConnection(const std::string& address, uint32_t from_host = 1);
  ~RawConnection();
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;

  int fd() const { return fd_; }
  // The client's preface and empty settings.
  bool SendPreface();
  // False once the peer has closed.
  bool Send(absl::string_view bytes);
  // The next frame; nullopt at the connection's end. Answers SETTINGS and PING.
  std::optional<Frame> Receive();
  // Returns once the peer has closed; sends nothing meanwhile.
  void AwaitClosed();
  // Returns once the peer has read everything that was sent; false if it closed before that.
  bool AwaitRead();
  // Sends bytes of a stream as its windows allow; false if the stream was ended before that.
  bool SendData(uint32_t stream, absl::string_view bytes);
  // Whether the peer has ended the stream; reads on until it has, or has closed.
  bool AwaitEnd(uint32_t stream);

 private:
  int fd_ = -1;
  std::string received_;  // not taken yet
  int64_t initial_window_ = 65'535;
  int64_t connection_window_ = 65'535;
  std::map<uint32_t, int64_t> windows_;  // in addition to the initial one
  std::map<uint32_t, bool> ended_;
};

}  // namespace gprofhub::tests
