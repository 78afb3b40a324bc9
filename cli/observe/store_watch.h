// Polls the store's condition in the background, so that readers never block.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/work_loop.h"
#include "store/condition/condition.h"
#include "store/sql/observed_engine.h"
#include "store/transfers/transfer_blobs.h"

namespace gprofhub::cli {

// The file system of the store's files.
struct Disk {
  uint64_t size = 0;  // bytes; 0: unknown, or not on this machine
  uint64_t free = 0;  // for this user
};

// Last known condition of the store.
struct StoreView {
  absl::Time asked = absl::InfiniteFuture();  // when the question that has no answer yet was put
  absl::Status status;                        // the last answer
  Disk disk;
  std::vector<store::QueueCondition> queues;
  absl::Time queues_read = absl::InfinitePast();
  store::HeldTransfers transfers;                 // as of then
  absl::Time last_backup = absl::InfinitePast();  // as of then
  // For each queue, by kind: since when its oldest job has been the oldest one.
  std::map<std::string, absl::Time> same_oldest_since;
  absl::Time no_room = absl::InfinitePast();  // as UploadRoom has it
  // For a replica: a lower bound of the time of its data.
  absl::Time as_of = absl::InfinitePast();
};

// Role of this process with respect to replicas of its database (docs/team.md).
enum class CopyRole {
  kNone,     // without replicas
  kIsTold,   // writes heartbeats for possible replicas
  kReadsOne  // its database is one
};

// Observes results of the store's calls: writes may fail for want of space where queries do not.
// Safe to use from several threads.
class UploadRoom {
 public:
  explicit UploadRoom(std::function<absl::Time()> now = absl::Now) : now_(std::move(now)) {}

  void Hear(const store::StoreCall& call);
  // When an upload's write last failed for want of space, if none has succeeded since.
  absl::Time no_room() const;

 private:
  const std::function<absl::Time()> now_;
  mutable absl::Mutex mutex_;
  absl::Time no_room_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
};

class StoreWatch {
 public:
  struct Options {
    absl::Duration every = absl::Seconds(2);
    absl::Duration queues_every = absl::Seconds(5);
    CopyRole copies = CopyRole::kNone;
    absl::Duration tell_copies_every = absl::Seconds(10);
    // Files uploaded by Bazel that are not yet consumed; null: not read.
    std::function<absl::StatusOr<store::HeldTransfers>()> read_transfers;
    std::function<absl::Time()> now = absl::Now;
  };

  // `room` outlives the watch.
  StoreWatch(store::Condition condition, const UploadRoom& room, const Options& options);

  // Asks until Stop.
  void Run();
  void Stop();

  // Asks once. Blocks as long as the store does not answer.
  void Ask();

  // The last known condition. Does not block.
  StoreView view() const;
  // StoreView::as_of alone.
  absl::Time as_of() const;
  store::sql::Connections connections() const;

 private:
  void ReadQueues(absl::Time now);
  // Writes the heartbeat for replicas, or reads it on a replica.
  absl::Status LookAfterCopies(absl::Time now);

  const store::Condition condition_;
  const UploadRoom& room_;
  const Options options_;
  base::WorkLoop loop_;
  mutable absl::Mutex mutex_;
  StoreView view_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, int64_t> oldest_ ABSL_GUARDED_BY(mutex_);  // ids, by kind
};

}  // namespace gprofhub::cli
