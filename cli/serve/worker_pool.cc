#include "cli/serve/worker_pool.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "cli/serve/process/process_name.h"

namespace gprofhub::cli {
namespace {

// Upper bound for an analysis; beyond it something hangs.
constexpr absl::Duration kLongestJob = absl::Hours(1);

}  // namespace

WorkerPool::WorkerPool(const store::JobQueue& jobs, const store::Reading& reading,
                       const store::Blobs& blobs, uint32_t workers, absl::Duration lease,
                       const analyzer::ChildOptions& child_options,
                       const std::function<void(const analyzer::EndedAnalysis&)>& on_ended) {
  for (uint32_t i = 0; i < workers; ++i) {
    analyzer::WorkerOptions options;
    options.name = absl::StrCat(ProcessName(), "/", i);
    options.lease = lease;
    options.heartbeat = lease / 4;
    options.on_ended = on_ended;
    children_.push_back(std::make_unique<analyzer::AnalysisChild>(child_options));
    analyzer::AnalysisChild* const child = children_.back().get();
    options.prepare = [child](const auto& stopping) { return child->Prepare(stopping); };
    workers_.push_back(std::make_unique<analyzer::Worker>(
        jobs, reading, blobs,
        [child](const auto& input, const auto& read, const auto& stopping) {
          return child->Analyze(input, read, stopping);
        },
        options));
  }
  for (const auto& worker : workers_) threads_.emplace_back([&worker] { worker->Run(); });
}

WorkerPool::~WorkerPool() {
  for (const auto& worker : workers_) worker->Stop();
  for (std::thread& thread : threads_) thread.join();
}

absl::Status WorkerPool::CheckAlive() const {
  for (const auto& worker : workers_) {
    if (worker->BusyFor() > kLongestJob) {
      return absl::DeadlineExceededError(
          absl::StrCat("an analysis takes ", absl::FormatDuration(worker->BusyFor())));
    }
  }
  return absl::OkStatus();
}

void WorkerPool::Wake() {
  for (const auto& worker : workers_) worker->Wake();
}

}  // namespace gprofhub::cli
