// The engine on a PostgreSQL database, shared by any number of processes.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "store/postgres/pipeline.h"
#include "store/sql/engine.h"

namespace gprofhub::store::postgres {

// The difference between the database's clock and this process's.
//
// Servers on several machines share a queue, and their clocks differ. If a server computed the end
// of its lease with its own clock, another one could take the job at once, or wait for hours after
// the first has died. So times of the queues are the database's.

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

// Opens the database that `url` names; in an empty one it creates the tables, or returns
// NOT_FOUND, by `mode`. The database must exist, and have the encoding UTF8. INVALID_ARGUMENT for
// a malformed URL. UNAVAILABLE if the server cannot be reached or refuses the user.
// FAILED_PRECONDITION for another encoding or schema version (store/sql/schema.h). No
// message shows the password.
absl::StatusOr<sql::Engine> OpenPostgres(absl::string_view url,
                                         const PostgresOptions& options = {});

// store/sql/engine.h on PostgreSQL: LISTEN and NOTIFY, on a connection of their own.

// The thread connects, and reconnects whenever the connection is lost. Behind a pooler LISTEN does
// not work: then notifications are off. Errors are ParseLocation's.
absl::StatusOr<std::unique_ptr<sql::WakeUps>> MakeWakeUps(absl::string_view url,
                                                          const PostgresOptions& options = {});

}  // namespace gprofhub::store::postgres
