// What the build event service takes.
#pragma once

#include <cstdint>

#include "absl/time/time.h"

namespace gprofhub::collector {

struct BesLimits {
  uint32_t running_invocations = 200;        // of one project
  uint64_t streams = 2048;                   // open, of all projects; one has at most half
  int64_t events = 5'000'000;                // of one invocation
  uint64_t kept_bytes = 64 << 20;            // of what is kept of its events
  uint64_t all_kept_bytes = 512 << 20;       // of those in memory; one project has at most half
  uint64_t pending_bytes = 4 << 20;          // of one invocation, on their way to the disk
  absl::Duration first = absl::Seconds(10);  // until a stream's first event
  absl::Duration silence = absl::Hours(2);   // between two events of a stream: the longest test
  absl::Duration longest = absl::Hours(24);
  // A running invocation without a stream is interrupted after this time; its client comes back
  // sooner or not at all.
  absl::Duration interrupted_after = absl::Minutes(10);
  // A process shows that often that it has an invocation; after three times that, others look
  // after it.
  absl::Duration sign_of_life = absl::Seconds(30);
  // How long what is over is shown.
  absl::Duration shown_for = absl::Hours(24 * 30);
};

}  // namespace gprofhub::collector
