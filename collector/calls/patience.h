// Timeout of a call's waits for its client.
//
// The client has some time for its first message. After that every byte that it sends earns it a
// little more time, up to a bound, and waiting uses time up. So a client that keeps a low rate is
// never cut, one that stalls is cut soon, and one that was fast may not stall for long.
#pragma once

#include <algorithm>
#include <cstdint>

#include "absl/time/time.h"

namespace gprofhub::collector {

struct PatienceLimits {
  absl::Duration first = absl::Seconds(10);  // for the first message
  absl::Duration most = absl::Seconds(40);   // maximum that a client can accumulate
  uint64_t bytes_per_second = 8 << 10;       // minimum rate of a client
  // Minimum timeout after each message, for calls that are usually silent. At most `most`.
  absl::Duration after_message = absl::ZeroDuration();
};

// State of one call. The server's own time does not count: only the time between WaitBegins and
// WaitEnds.
class Patience {
 public:
  explicit Patience(const PatienceLimits& limits) : limits_(limits), left_(limits.first) {}

  void WaitBegins(absl::Time now) { waiting_since_ = now; }
  // The client sent or read `bytes`.
  void WaitEnds(absl::Time now, uint64_t bytes) {
    left_ -= now - waiting_since_;
    waiting_since_ = absl::InfiniteFuture();
    const absl::Duration bought =
        absl::Seconds(static_cast<double>(bytes) / static_cast<double>(limits_.bytes_per_second));
    left_ = std::min(limits_.most, std::max(left_, absl::ZeroDuration()) + bought);
    if (bytes > 0) left_ = std::max(left_, limits_.after_message);
  }

  // Whether the client's time is used up.
  bool IsOver(absl::Time now) const { return now - waiting_since_ > left_; }

 private:
  PatienceLimits limits_;
  absl::Duration left_;
  absl::Time waiting_since_ = absl::InfiniteFuture();  // InfiniteFuture: not waiting
};

}  // namespace gprofhub::collector
