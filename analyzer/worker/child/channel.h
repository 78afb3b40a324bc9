// Frames over a socket between the server and an analysis child.
//
// A frame is its kind and its size, 64 bits each in native byte order, followed by its bytes. Both
// ends are the same program.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gprofhub::analyzer {

struct Frame {
  uint64_t kind = 0;
  std::string bytes;
};

class Channel {
 public:
  // Called before each step that may block, with poll(2)'s events to wait for. OK: the step may be
  // tried. An error ends the call.
  using Wait = std::function<absl::Status(int socket, short events)>;

  // Takes the socket. Without `wait` the calls block.
  Channel(int socket, Wait wait) : socket_(socket), wait_(std::move(wait)) {}
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // UNAVAILABLE if the peer closed the socket, and errors of `wait`. After either the channel is
  // unusable.
  absl::Status Send(uint64_t kind, absl::string_view bytes);
  // Returns the next frame. OUT_OF_RANGE if it has more than `most_bytes`. Memory grows with the
  // received bytes, not with the announced size. Other errors as Send.
  absl::StatusOr<Frame> Receive(uint64_t most_bytes);

 private:
  absl::Status SendAll(const char* data, size_t size);
  absl::Status ReceiveAll(char* data, size_t size);
  absl::Status Ready(short events) const;

  const int socket_;
  const Wait wait_;
};

}  // namespace gprofhub::analyzer
