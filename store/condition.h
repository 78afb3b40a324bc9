// Health of the store, for operators: reachability, use of connections, lengths of queues.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "store/sql/database.h"

namespace gprofhub::store {

// Backlog of one project in one queue.
struct ProjectQueue {
  std::string project;
  uint64_t waiting = 0;
  absl::Time oldest;
};

struct QueueCondition {
  absl::string_view kind;  // "analysis", "report" or "notification"
  uint64_t waiting = 0;    // could be taken now, or was lost by its worker
  uint64_t running = 0;
  uint64_t later = 0;   // not to be taken yet
  uint64_t failed = 0;  // given up
  // The longest-waiting job, and since when it waits.
  int64_t oldest_id = 0;  // 0: none waits
  absl::Time oldest = absl::InfiniteFuture();
  // Among the kLooked longest-waiting jobs: the projects with most of them, at most kProjects.
  std::vector<ProjectQueue> projects;

  static constexpr int64_t kLooked = 10'000;
  static constexpr int64_t kProjects = 20;
};

// A part of the store: store.h documents what all parts guarantee.
class Condition {
 public:
  explicit Condition(std::shared_ptr<sql::Database> database);

  // Whether the database is there and answers. Blocks as long as it does not.
  absl::Status Check() const;

  // Does not access the database.
  sql::Connections connections() const;
  // Local folder of the store's files; empty: not on this machine.
  std::string folder() const;

  // Writes a heartbeat of this store with the database's clock. A replica receives it by
  // replication, which shows its lag. A heartbeat of another process within the last `every`
  // suffices.
  absl::Status Beat(absl::Time now, absl::Duration every) const;

  // Age of the newest heartbeat in this database; InfiniteDuration: it has none.
  absl::StatusOr<absl::Duration> ReadBeatAge(absl::Time now) const;

  // The three queues, in the order of QueueCondition::kind's comment.
  absl::StatusOr<std::vector<QueueCondition>> ReadQueues(absl::Time now) const;

  // When the last backup that was found good was begun; InfinitePast: never.
  absl::StatusOr<absl::Time> ReadLastBackup() const;

 private:
  std::shared_ptr<sql::Database> database_;
};

}  // namespace gprofhub::store
