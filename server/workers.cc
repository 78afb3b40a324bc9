#include "server/workers.h"

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
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

}  // namespace

absl::Status WorkerPool::Start() {
  const analyzer::ChildOptions child_options = ChildOptionsOf(options_);
  const auto on_ended = [&work = context_.work, count = context_.metrics.OnAnalysis()](
                            const analyzer::EndedAnalysis& analysis) {
    count(analysis);
    work.ReportsDue();
  };
  const store::Store& store = context_.store.store;
  for (uint32_t i = 0; i < options_.workers; ++i) {
    analyzer::WorkerOptions options;
    options.name = absl::StrCat(ProcessName(), "/", i);
    options.lease = absl::Seconds(options_.lease_seconds);
    options.heartbeat = options.lease / 4;
    options.on_ended = on_ended;
    children_.push_back(std::make_unique<analyzer::AnalysisChild>(child_options));
    analyzer::AnalysisChild* const child = children_.back().get();
    options.prepare = [child](const auto& stopping) { return child->Prepare(stopping); };
    workers_.push_back(std::make_unique<analyzer::Worker>(
        store.jobs, store.reading, store.blobs,
        [child](const auto& input, const auto& read, const auto& stopping) {
          return child->Analyze(input, read, stopping);
        },
        options));
  }
  for (const auto& worker : workers_) threads_.emplace_back([&worker] { worker->Run(); });
  context_.observing.AddLifeSign("workers", [this] { return CheckAlive(); });
  return absl::OkStatus();
}

void WorkerPool::Stop() {
  for (const auto& worker : workers_) worker->Stop();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  workers_.clear();
  children_.clear();
}

absl::Status WorkerPool::CheckAlive() const {
  for (const auto& worker : workers_) {
    if (worker->BusyFor() > kLongestAnalysis) {
      return absl::DeadlineExceededError(
          absl::StrCat("an analysis has taken ", absl::FormatDuration(worker->BusyFor())));
    }
  }
  return absl::OkStatus();
}

void WorkerPool::Wake() {
  for (const auto& worker : workers_) worker->Wake();
}

}  // namespace gprofhub::server
