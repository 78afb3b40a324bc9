// Limits of the build event service.
#pragma once

#include <cstdint>

#include "absl/time/time.h"

namespace gprofhub::collector {

struct BesLimits {
  uint32_t running_invocations = 200;   // of one project
  uint64_t streams = 2048;              // open, of all projects; one has at most half
  int64_t events = 5'000'000;           // of one invocation
  uint64_t kept_bytes = 64 << 20;       // of the kept fields of its events
  uint64_t all_kept_bytes = 512 << 20;  // of invocations in memory; one project has at most half
  uint64_t pending_bytes = 4 << 20;     // of one invocation, being written
  absl::Duration first = absl::Seconds(10);  // until a stream's first event
  absl::Duration silence = absl::Hours(2);   // between two events of a stream: the longest test
  absl::Duration longest = absl::Hours(24);
  // Timeout after which a running invocation without a stream is interrupted; clients reconnect
  // sooner or not at all.
  absl::Duration interrupted_after = absl::Minutes(10);
  // Heartbeat interval of an invocation's owner. After three missed heartbeats another process
  // takes over.
  absl::Duration sign_of_life = absl::Seconds(30);
  // Retention of finished invocations.
  absl::Duration shown_for = absl::Hours(24 * 30);
};

}  // namespace gprofhub::collector
