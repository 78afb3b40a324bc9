// The difference between the database's clock and this process's.
//
// Servers on several machines share a queue, and their clocks differ. If each used its own
// clock for leases, another server would take a job at once, or wait for hours after the owner has
// died. So times of the queues are those of the database's clock.
#pragma once

#include <functional>
#include <mutex>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace gprofhub::store::postgres {

// Thread-safe.
class DatabaseClock {
 public:
  using Read = std::function<absl::StatusOr<absl::Time>()>;

  // `here` is this process's clock, `there` reads the database's.
  DatabaseClock(std::function<absl::Time()> here, Read there)
      : here_(std::move(here)), there_(std::move(there)) {}

  // Zero if the clocks differ by less than a second. Asks the database at first, every minute, and
  // after a change of this process's clock. If the database does not answer, returns the last
  // value.
  absl::Duration Skew();

 private:
  const std::function<absl::Time()> here_;
  const Read there_;
  std::mutex mutex_;
  absl::Duration skew_;  // guarded by mutex_, as are the next
  bool was_read_ = false;
  absl::Duration read_at_;  // monotonic
  absl::Time here_then_;
};

}  // namespace gprofhub::store::postgres
