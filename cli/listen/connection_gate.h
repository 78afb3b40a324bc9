// Accepts connections in gRPC's place. gRPC 1.51 accepts connections until descriptors run out, and
// its listener does not recover from that. This one enforces a limit.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "absl/status/statusor.h"
#include "collector/calls/fair_share.h"

namespace gprofhub::cli {

// Maximum number of connections for a limit of descriptors: two descriptors for each, and a reserve
// for everything else.
uint64_t ConnectionsFor(uint64_t descriptors);

// Raises the process's soft limit on descriptors to the hard one; returns the limit.
uint64_t RaiseDescriptorLimit();

// Counters of a gate. A shared copy outlives the gate.
struct ConnectionCounts {
  std::atomic<uint64_t> accepted = 0;  // since the start, with those that were refused
  std::atomic<uint64_t> refused = 0;   // of them
  std::atomic<uint64_t> open = 0;      // now
};

class ConnectionGate {
 public:
  // Takes ownership of the descriptor, and shuts it down before closing it. Called by the gate's
  // thread.
  using Take = std::function<void(int fd)>;

  // Accepts from these sockets, which are non-blocking and which the gate closes. At most
  // `connections` at one time; one peer (an IPv4 address, an IPv6 network of 64 bits) has at most a
  // third of them. Further connections are closed at once. Errors: epoll_create failed.
  static absl::StatusOr<std::unique_ptr<ConnectionGate>> Open(std::vector<int> listen_fds,
                                                              uint64_t connections, Take take);
  std::shared_ptr<const ConnectionCounts> counts() const { return counts_; }

  // Stops accepting. Connections that were taken stay open.
  ~ConnectionGate();
  ConnectionGate(const ConnectionGate&) = delete;
  ConnectionGate& operator=(const ConnectionGate&) = delete;

 private:
  ConnectionGate(std::vector<int> listen_fds, int epoll_fd, int stop_fd, uint64_t connections,
                 Take take);
  void Run();
  bool IsListening(int fd) const;
  // False where no descriptor is left.
  bool AcceptAll();
  bool AcceptAllFrom(int listen_fd);
  void Admit(int fd, const std::string& peer);
  void Forget(int watched_fd);

  const std::vector<int> listen_fds_;
  const int epoll_fd_;
  const int stop_fd_;
  const Take take_;
  collector::FairShare places_;
  // For each connection a second descriptor, which only reports its end; the value is its peer.
  std::unordered_map<int, std::string> watched_;
  const std::shared_ptr<ConnectionCounts> counts_ = std::make_shared<ConnectionCounts>();
  std::thread thread_;
};

}  // namespace gprofhub::cli
