#include "server/workers.h"

#include <spdlog/spdlog.h>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "analyzer/worker/analysis_child.h"
#include "analyzer/worker/worker.h"
#include "base/stop_token.h"
#include "server/metrics.h"
#include "server/observing.h"
#include "server/signals.h"
#include "store/upkeep.h"

namespace gprofhub::server {

void WorkSignals::JobsAdded() const {
  wake_workers_();
  if (others_ != nullptr) others_->Tell(store::sql::Work::kJobs);
}

void WorkSignals::ReportsDue() const {
  wake_reporter_();
  if (others_ != nullptr) others_->Tell(store::sql::Work::kReports);
}

void WorkSignals::Ready() {
  if (others_ == nullptr) return;
  others_->Start([this](store::sql::Work work) {
    work == store::sql::Work::kJobs ? wake_workers_() : wake_reporter_();
  });
}

void WorkSignals::Stop() {
  if (others_ != nullptr) others_->Stop();
}

namespace {

// On a busy machine an analysis takes longer than its processor time.
constexpr int kClockPerCpu = 5;
// Upper bound for an analysis; beyond it something hangs.
constexpr absl::Duration kLongestAnalysis = absl::Hours(1);

analyzer::ChildOptions ChildOptionsOf(const WorkerPoolOptions& options) {
  analyzer::ChildOptions child;
  child.program = options.program.front();
  child.arguments.assign(options.program.begin() + 1, options.program.end());
  child.arguments.push_back(kAnalysisProcess);
  child.memory = uint64_t{options.analysis_mib} << 20;
  child.cpu = absl::Seconds(options.analysis_seconds);
  child.longest = kClockPerCpu * child.cpu;
  return child;
}

// A thread with a child process that analyses its jobs.
std::unique_ptr<base::WorkLoop> StartWorker(const store::Store& store,
                                            const analyzer::ChildOptions& child_options,
                                            analyzer::WorkerOptions options) {
  const auto child = std::make_shared<analyzer::AnalysisChild>(child_options);
  options.prepare = [child](const auto& stopping) { return child->Prepare(stopping); };
  const auto worker = std::make_shared<analyzer::Worker>(
      store.jobs, store.reading, store.blobs,
      [child](const auto& input, const auto& read, const auto& stopping) {
        return child->Analyze(input, read, stopping);
      },
      options);
  return std::make_unique<base::WorkLoop>(
      base::WorkLoop::Waits(),
      [worker](const base::StopToken& stopping) { return worker->RunOnce(stopping); },
      [name = options.name](const absl::Status& error, absl::Duration wait) {
        spdlog::error("worker {}: {}; retrying in {}", name, error.ToString(),
                      absl::FormatDuration(wait));
      });
}

}  // namespace

absl::Status WorkerPool::Start() {
  const analyzer::ChildOptions child = ChildOptionsOf(options_);
  analyzer::WorkerOptions worker;
  worker.lease = absl::Seconds(options_.lease_seconds);
  worker.heartbeat = worker.lease / 4;
  worker.on_ended = [&work = context_.work, count = context_.metrics.OnAnalysis()](
                        const analyzer::EndedAnalysis& analysis) {
    count(analysis);
    work.ReportsDue();
  };
  workers_ = std::make_unique<base::WorkLoops>();
  for (uint32_t i = 0; i < options_.workers; ++i) {
    worker.name = absl::StrCat(ProcessName(), "/", i);
    workers_->Add(StartWorker(context_.store.store, child, worker));
  }
  context_.observing.AddLifeSign("workers", [this] { return CheckAlive(); });
  return absl::OkStatus();
}

absl::Status WorkerPool::CheckAlive() const {
  const absl::Duration busy = workers_->BusyFor();
  if (busy <= kLongestAnalysis) return absl::OkStatus();
  return absl::DeadlineExceededError(
      absl::StrCat("an analysis has taken ", absl::FormatDuration(busy)));
}

}  // namespace gprofhub::server
