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
  // `threads`: at least 1. `most_bytes` bounds what work under way and waiting holds; a single
  // piece may hold more.
  BoundedWork(size_t threads, uint64_t most_bytes);
  // Does what was added.
  ~BoundedWork();
  BoundedWork(const BoundedWork&) = delete;
  BoundedWork& operator=(const BoundedWork&) = delete;

  // Has `work`, which holds `bytes`, done by a thread. Waits first while all threads have some to
  // do and another piece waits, or while too much is held. One thread does its work in this order.
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
  size_t pieces_ ABSL_GUARDED_BY(mutex_) = 0;  // waiting and under way
  uint64_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  bool ending_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace gprofhub::ci
