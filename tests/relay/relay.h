// A relay on loopback between a client and a server, which cuts connections by a rule.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/string_view.h"

namespace gprofhub::tests {

class Relay {
 public:
  enum class Way { kToServer, kToClient };
  // Fate of a piece: this number of its bytes passes; then the connection is cut, or continues.
  struct Fate {
    size_t passes = 0;
    bool cut = false;
  };
  // Judges the pieces of one connection, in the order in which they come.
  using Rule = std::function<Fate(Way way, absl::string_view piece)>;

  struct Options {
    // Gives a socket that is connected to the server, or -1.
    std::function<int()> connect;
    // The rule of the next connection.
    std::function<Rule()> new_rule;
    // Whether connections after the first one are refused.
    bool one_connection = false;
  };

  // Listens until destruction, which cuts all connections.
  explicit Relay(Options options);
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  uint16_t port() const { return port_; }

 private:
  void Accept();
  void Pass(int client);

  const Options options_;
  int listener_ = -1;
  uint16_t port_ = 0;
  int stop_[2] = {-1, -1};  // a pipe; its end of file ends the relay
  std::thread accepting_;
  std::vector<std::thread> passing_;  // of accepting_
};

// A socket that is connected to the port on loopback, or -1.
int ConnectToLoopback(uint16_t port);

}  // namespace gprofhub::tests
