// The analysis workers of one process, and the notifications of new work among processes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/work_loop.h"
#include "server/part.h"
#include "store/sql/engine.h"

namespace gprofhub::server {

// Notifies the workers and the reporter of this process, and other processes of the store, of new
// work. The callbacks are set before any part starts, and may be called from any thread.
class WorkSignals final : public ServerPart {
 public:
  // Null: the store has no way to notify other processes.
  explicit WorkSignals(std::unique_ptr<store::sql::WakeUps> others) : others_(std::move(others)) {}

  void set_wake_workers(std::function<void()> wake) { wake_workers_ = std::move(wake); }
  void set_wake_reporter(std::function<void()> wake) { wake_reporter_ = std::move(wake); }

  // Jobs were added to the queue.
  void JobsAdded() const;
  // A report may be due.
  void ReportsDue() const;

  // Notifications of other processes arrive from Ready to Stop.
  absl::Status Start() override { return absl::OkStatus(); }
  void Ready() override;
  void Stop() override;

 private:
  const std::unique_ptr<store::sql::WakeUps> others_;
  std::function<void()> wake_workers_ = [] {};
  std::function<void()> wake_reporter_ = [] {};
};

struct WorkerPoolOptions {
  // The command that starts this program again, for the processes that analyse.
  std::vector<std::string> program = {"/proc/self/exe"};
  uint32_t workers = 1;
  // Lease of a job: after this time without a heartbeat another worker takes it over.
  uint32_t lease_seconds = 60;
  // Limits of one analysis.
  uint32_t analysis_mib = 1024;
  uint32_t analysis_seconds = 120;
};

// Runs workers, a thread and a child process each.
class WorkerPool final : public ServerPart {
 public:
  WorkerPool(const ServerContext& context, const WorkerPoolOptions& options)
      : context_(context), options_(options) {}

  absl::Status Start() override;
  // Running jobs are finished or returned to the queue.
  void Stop() override { workers_.reset(); }

  // Notifies idle workers that there may be a job. No-op unless it runs.
  void Wake() {
    if (workers_ != nullptr) workers_->Wake();
  }

 private:
  // Whether all of them get on.
  absl::Status CheckAlive() const;

  const ServerContext context_;
  const WorkerPoolOptions options_;
  std::unique_ptr<base::WorkLoops> workers_;  // null: not started, or stopped
};

}  // namespace gprofhub::server
