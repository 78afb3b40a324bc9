// Thread pool with a bound on the bytes of queued and running work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace gprofhub::ci {

class BoundedWork {
 public:
  // `threads`: at least 1. `most_bytes` bounds the memory of queued and running work; a single
  // piece may exceed it.
  BoundedWork(size_t threads, uint64_t most_bytes);
  // Runs all queued work.
  ~BoundedWork();
  BoundedWork(const BoundedWork&) = delete;
  BoundedWork& operator=(const BoundedWork&) = delete;

  // Queues `work`, which holds `bytes`, for a thread. Blocks while all threads are busy and another
  // piece is queued, or while the bytes are used up. With one thread, work runs in this order.
  void Add(uint64_t bytes, std::function<void()> work);

 private:
  struct Piece {
    uint64_t bytes;
    std::function<void()> work;
  };

  void Run();

  const size_t most_pieces_;
  const uint64_t most_bytes_;
  absl::Mutex mutex_;
  std::queue<Piece> waiting_ ABSL_GUARDED_BY(mutex_);
  size_t pieces_ ABSL_GUARDED_BY(mutex_) = 0;  // queued and running
  uint64_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  bool ending_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace gprofhub::ci
