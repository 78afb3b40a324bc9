// Notifies the other processes of a store about new work, and receives their notifications.
//
// Workers also poll, so a lost notification only costs that delay. Therefore notifications are sent
// after a transaction, not in it: PostgreSQL holds a server-wide lock while a transaction that
// notifies commits
// (https://www.postgresql.org/docs/15/sql-notify.html): commits would no longer share a sync.
#pragma once

#include <functional>

namespace gprofhub::store::sql {

enum class Work { kJobs, kReports };

class WakeUps {
 public:
  // Called, by one thread, for work of other processes, and once per kind after each
  // (re)connection: notifications may have been lost before.
  using OnWork = std::function<void(Work)>;

  virtual ~WakeUps() = default;

  // Starts receiving and sending. Call once.
  virtual void Start(OnWork on_work) = 0;
  // Stops both. `on_work` is not called after the return.
  virtual void Stop() = 0;
  // Notifies about work. Never blocks; coalesces notifications. Thread-safe.
  virtual void Tell(Work work) = 0;
};

}  // namespace gprofhub::store::sql
