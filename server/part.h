// Parts of the server process: their interface, and the order in which they start and stop.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/status/status.h"

namespace gprofhub::base {
class MemoryBudget;
}  // namespace gprofhub::base

namespace gprofhub::store {
struct WholeStore;
}  // namespace gprofhub::store

namespace gprofhub::server {

class Metrics;
class Observing;
class Reloading;
class WorkSignals;

// One part of the server, such as its workers. Its constructor only stores references; all threads
// and sockets of the part exist between Start and Stop.
class ServerPart {
 public:
  ServerPart() = default;
  virtual ~ServerPart() = default;
  ServerPart(const ServerPart&) = delete;
  ServerPart& operator=(const ServerPart&) = delete;

  // Starts the part. The parts before it in the list run already.
  virtual absl::Status Start() = 0;
  // Called once when all parts run.
  virtual void Ready() {}
  // Called once before any part stops: ends what would otherwise hold up a stop, such as streams.
  virtual void Drain() {}
  // Stops the part. The parts before it still run, those after it no longer do. Also called after a
  // failed Start, for what it had started.
  virtual void Stop() {}
};

// The parts of one server, in the order of their start.
class ServerParts {
 public:
  // The parts outlive this object.
  explicit ServerParts(std::vector<ServerPart*> parts) : parts_(std::move(parts)) {}
  // Stops.
  ~ServerParts() { Stop(); }
  ServerParts(const ServerParts&) = delete;
  ServerParts& operator=(const ServerParts&) = delete;

  // Starts the parts in order, then notifies each that all run. If one fails, stops those that run,
  // and returns its error.
  absl::Status Start();
  // Drains the running parts in order, then stops them in reverse.
  void Stop();

 private:
  const std::vector<ServerPart*> parts_;
  size_t started_ = 0;
};

// What the parts of one server share. All of it outlives the parts.
struct ServerContext {
  const store::WholeStore& store;
  const Metrics& metrics;
  Observing& observing;
  Reloading& reloading;
  base::MemoryBudget& decoding;
  WorkSignals& work;
};

inline absl::Status ServerParts::Start() {
  for (ServerPart* const part : parts_) {
    ++started_;
    if (absl::Status status = part->Start(); !status.ok()) {
      Stop();
      return status;
    }
  }
  for (ServerPart* const part : parts_) part->Ready();
  return absl::OkStatus();
}

inline void ServerParts::Stop() {
  for (size_t i = 0; i < started_; ++i) parts_[i]->Drain();
  for (; started_ > 0; --started_) parts_[started_ - 1]->Stop();
}

}  // namespace gprofhub::server
