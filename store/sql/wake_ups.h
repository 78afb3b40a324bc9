// Notifications of new work between the processes of a store.
//
// Waiting workers poll at intervals in any case: a lost notification costs one such interval, and
// nothing else. So a notification is sent after a transaction, not in it. PostgreSQL holds one lock
// of the whole server while a transaction that notifies commits
// (https://www.postgresql.org/docs/15/sql-notify.html): commits would no longer share a sync.
#pragma once

#include <functional>

namespace gprofhub::store::sql {

enum class Work { kJobs, kReports };

class WakeUps {
 public:
  // Called when other processes have added work, and once for each kind when it begins to listen,
  // also after a reconnect: notifications may have been lost meanwhile. Called by one thread.
  using OnWork = std::function<void(Work)>;

  virtual ~WakeUps() = default;

  // Begins to listen and to notify. Call once.
  virtual void Start(OnWork on_work) = 0;
  // Stops both. `on_work` is not called after the return.
  virtual void Stop() = 0;
  // Notifies other processes of work. Never blocks; notifications that are pending at the same time
  // are merged. From any thread.
  virtual void Tell(Work work) = 0;
};

}  // namespace gprofhub::store::sql
