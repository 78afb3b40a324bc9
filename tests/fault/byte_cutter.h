// A connection that breaks after a given number of bytes.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "tests/relay/relay.h"

namespace gprofhub::tests {

class ByteCutter {
 public:
  static constexpr uint64_t kNever = UINT64_MAX;

  // For one connection to `server`, "127.0.0.1:PORT". It is cut after `to_server` bytes to the
  // server or `to_client` bytes back, the earlier of the two.
  ByteCutter(const std::string& server, uint64_t to_server, uint64_t to_client);

  std::string address() const;
  // So many bytes went through so far.
  uint64_t ToServer() const { return sent_; }
  uint64_t ToClient() const { return received_; }

 private:
  std::atomic<uint64_t> sent_{0};
  std::atomic<uint64_t> received_{0};
  std::unique_ptr<Relay> relay_;  // last: it uses the others
};

}  // namespace gprofhub::tests
