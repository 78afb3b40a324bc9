// Threads for work that blocks: the store, decoding. gRPC's own threads never wait for it.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace gprofhub::collector {

// Round-robin over the owners of tasks: one owner's thousand tasks delay another owner's single one
// by at most one task. No owner has more than three quarters of the threads at one time. Safe to
// call from several threads.
class FairPool {
 public:
  // At least 2 threads.
  explicit FairPool(size_t threads, std::function<absl::Time()> now = absl::Now);
  // Runs all submitted tasks.
  ~FairPool();
  FairPool(const FairPool&) = delete;
  FairPool& operator=(const FairPool&) = delete;

  void Submit(const std::string& owner, std::function<void()> task);

  // Time since tasks began to wait without any thread ending one; zero if none waits. For a
  // watchdog.
  absl::Duration StuckFor() const;

 private:
  struct Owner {
    std::deque<std::function<void()>> tasks;
    size_t running = 0;
  };

  void Work();
  // The next owner with a task that may have another thread; nullptr: none.
  const std::string* NextOwner() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool HasWork() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const size_t most_per_owner_;
  const std::function<absl::Time()> now_;
  mutable absl::Mutex mutex_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  absl::flat_hash_map<std::string, Owner> owners_ ABSL_GUARDED_BY(mutex_);
  std::deque<std::string> turns_ ABSL_GUARDED_BY(mutex_);  // owners with tasks, each once
  size_t waiting_ ABSL_GUARDED_BY(mutex_) = 0;             // tasks
  // When a task began to wait while none did, or one ended.
  absl::Time moved_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  std::vector<std::thread> threads_;
};

}  // namespace gprofhub::collector
