// The analysis workers of one process.
#pragma once

#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "absl/time/time.h"
#include "analyzer/worker/worker.h"
#include "store/store.h"

namespace gprofhub {

// Runs workers, a thread each, from construction to destruction.
class WorkerPool {
 public:
  // `store` outlives the pool; `lease` as in WorkerOptions.
  WorkerPool(Store& store, uint32_t workers, absl::Duration lease);
  // Stops: jobs under way are finished or given back.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Tells idle workers that there may be a job.
  void Wake();

 private:
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::thread> threads_;
};

}  // namespace gprofhub
