// The analysis workers of one process.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "analyzer/worker/child/analysis_child.h"
#include "analyzer/worker/worker.h"
#include "store/blobs.h"
#include "store/job_queue.h"
#include "store/reading.h"

namespace gprofhub::cli {

// Runs workers, a thread and a child process each, from construction to destruction.
class WorkerPool {
 public:
  // `lease` as in WorkerOptions; `child` is how each worker's analyses are run.
  WorkerPool(const store::JobQueue& jobs, const store::Reading& reading, const store::Blobs& blobs,
             uint32_t workers, absl::Duration lease, const analyzer::ChildOptions& child,
             const std::function<void(const analyzer::EndedAnalysis&)>& on_ended);
  // Stops: running jobs are finished or returned to the queue.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Notifies idle workers that there may be a job.
  void Wake();

  // Whether all of them get on.
  absl::Status CheckAlive() const;

 private:
  std::vector<std::unique_ptr<analyzer::AnalysisChild>> children_;  // one for each worker
  std::vector<std::unique_ptr<analyzer::Worker>> workers_;
  std::vector<std::thread> threads_;
};

}  // namespace gprofhub::cli
