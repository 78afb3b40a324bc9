// Shuts down connections whose peer does not answer.
//
// libpq waits without limit for an answer. A server that is stopped or hung, or whose machine is,
// may never answer, and TCP's own limits do not help as long as the machine's kernel lives. So a
// thread watches the waiting connections, and shuts down the socket of one that has waited for too
// long. libpq then reports a broken connection.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "absl/time/time.h"

namespace gprofhub::store::postgres {

class SocketWatch {
 public:
  // Looks every `tick`.
  explicit SocketWatch(absl::Duration tick);
  ~SocketWatch();
  SocketWatch(const SocketWatch&) = delete;
  SocketWatch& operator=(const SocketWatch&) = delete;

  // A socket that is watched, for as long as this lives. Used by one thread.
  class Watched {
   public:
    // Not before Allow is anything cut. `socket` stays open for as long as this lives.
    Watched(SocketWatch& watch, int socket);
    ~Watched();
    Watched(const Watched&) = delete;
    Watched& operator=(const Watched&) = delete;

    // Shuts the socket down after this time from now; never if absl::InfiniteDuration().
    void Allow(absl::Duration time);
    // Whether it was cut.
    bool WasCut() const;

   private:
    friend class SocketWatch;
    SocketWatch& watch_;
    const int socket_;
    // Guarded by watch_.mutex_; in nanoseconds of CLOCK_MONOTONIC.
    int64_t until_;
    bool cut_ = false;
  };

 private:
  void Run();

  const absl::Duration tick_;
  mutable std::mutex mutex_;
  std::condition_variable ending_changed_;
  bool ending_ = false;            // guarded by mutex_
  std::vector<Watched*> watched_;  // guarded by mutex_
  std::thread thread_;             // last: it uses all of the above
};

}  // namespace gprofhub::store::postgres
