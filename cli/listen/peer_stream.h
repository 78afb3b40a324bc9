// A peer's connection as a stream for httplib, with a deadline and a byte limit.
#pragma once

#include <httplib.h>

#include <array>
#include <atomic>
#include <chrono>
#include <string>

#include "absl/time/time.h"

namespace gprofhub::cli {

class PeerStream final : public httplib::Stream {
 public:
  // `fd` stays open as long as the stream lives. After `patience`, by the monotonic clock, or
  // `most` bytes, reads and writes fail. `waits` is true while the stream waits for the peer; it
  // outlives the stream.
  PeerStream(int fd, absl::Duration patience, size_t most, std::atomic<bool>& waits)
      : fd_(fd),
        until_(std::chrono::steady_clock::now() + absl::ToChronoNanoseconds(patience)),
        left_(most),
        waits_(waits) {}

  // Whether the peer has shut down its sending direction, or closed the connection.
  bool PeerHasLeft() const;

  bool is_readable() const override;
  bool is_writable() const override;
  ssize_t read(char* bytes, size_t size) override;
  ssize_t write(const char* bytes, size_t size) override;
  // As the kernel reports; empty and 0 if it cannot.
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  socket_t socket() const override { return fd_; }

 private:
  // Waits for poll's `events` until the time is over.
  bool Wait(short events) const;
  bool WaitForPeer(short events) const;

  const int fd_;
  const std::chrono::steady_clock::time_point until_;
  size_t left_;
  std::atomic<bool>& waits_;
  std::array<char, 4096> buffer_ = {};
  size_t begin_ = 0;
  size_t end_ = 0;
};

}  // namespace gprofhub::cli
