// The difference between the database's clock and this process's.
//
// Servers on several machines share a queue, and their clocks differ. If a server computed the end
// of its lease with its own clock, another one could take the job at once, or wait for hours after
// the first has died. So times of the queues are the database's.
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

  // Zero while the clocks differ by less than a second. Queries the database at first, every
  // minute, and after this process's clock was set. If the query fails, the last known offset
  // holds.
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
