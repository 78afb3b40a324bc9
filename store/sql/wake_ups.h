// Tells the other processes of a store that there is work, and hears it from them.
//
// Who waits for work looks for it now and then in any case: a word that is lost costs that wait,
// and nothing else. So a word is given after a transaction, not in it. PostgreSQL holds one lock of
// the whole server while a transaction that notifies commits
// (https://www.postgresql.org/docs/15/sql-notify.html): commits would no longer share a sync.
#pragma once

#include <functional>

namespace gprofhub::store::sql {

enum class Work { kJobs, kReports };

class WakeUps {
 public:
  // Is told of work that other processes have brought, and of each kind once when it begins to
  // hear, also after it lost its connection: some may have come meanwhile. Called by one thread.
  using OnWork = std::function<void(Work)>;

  virtual ~WakeUps() = default;

  // Begins to hear and to tell. Once.
  virtual void Start(OnWork on_work) = 0;
  // Ends both: `on_work` is not called any more when it returns.
  virtual void Stop() = 0;
  // Says that there is work. Never waits; much of it at once is said once. From any thread.
  virtual void Tell(Work work) = 0;
};

}  // namespace gprofhub::store::sql
