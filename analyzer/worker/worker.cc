#include "analyzer/worker/worker.h"

#include <spdlog/spdlog.h>

#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/log_fields.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "base/stop_token.h"
#include "profile/codec/series.h"
#include "store/job_queue.h"

namespace gprofhub::analyzer {

namespace {

// Extends a job's lease while its analysis runs.

// Extends the lease every `heartbeat` from a thread of its own, from
// construction to destruction.
class LeaseKeeper {
 public:
  // `jobs` and `job` outlive the keeper.
  LeaseKeeper(const store::JobQueue& jobs, const store::Job& job, absl::Duration lease,
              absl::Duration heartbeat, const std::function<absl::Time()>& now);
  ~LeaseKeeper();
  LeaseKeeper(const LeaseKeeper&) = delete;
  LeaseKeeper& operator=(const LeaseKeeper&) = delete;

  // Whether the store reported that the lease is lost: the job's result would be refused.
  bool Lost() const { return lost_; }

 private:
  void Beat();

  const store::JobQueue& jobs_;
  const store::Job& job_;
  const absl::Duration lease_;
  const absl::Duration heartbeat_;
  const std::function<absl::Time()> now_;
  base::StopToken ending_;
  std::atomic<bool> lost_ = false;
  std::thread thread_;  // last: it uses all of the above
};

LeaseKeeper::LeaseKeeper(const store::JobQueue& jobs, const store::Job& job, absl::Duration lease,
                         absl::Duration heartbeat, const std::function<absl::Time()>& now)
    : jobs_(jobs), job_(job), lease_(lease), heartbeat_(heartbeat), now_(now), thread_([this] {
        Beat();
      }) {}

LeaseKeeper::~LeaseKeeper() {
  ending_.Set();
  thread_.join();
}

void LeaseKeeper::Beat() {
  const base::LogFields fields{{"request", job_.request}, {"run", absl::StrCat(job_.run_id)}};
  while (!ending_.WaitFor(heartbeat_)) {
    const absl::Status status = jobs_.ExtendLease(job_, now_(), lease_);
    if (status.ok()) continue;
    spdlog::warn("worker {}: cannot extend the lease of {} in run {}: {}", job_.worker, job_.target,
                 job_.run_id, status.ToString());
    // Other errors may be transient; the next heartbeat tries again.
    if (!absl::IsFailedPrecondition(status)) continue;
    lost_ = true;
    return;
  }
}

store::PackedPoints ToStore(profile::SeriesChunk chunk) {
  store::PackedPoints packed = {std::move(chunk.runs), {}};
  for (profile::FunctionColumns& function : chunk.functions) {
    packed.functions.push_back(
        {static_cast<int64_t>(function.function_hash), std::move(function.bytes)});
  }
  return packed;
}

// If several chunks have a run, the newest one determines its data.
struct MergedRun {
  size_t newest = 0;
  profile::SeriesSegment segment;
};

}  // namespace

absl::StatusOr<store::PackedPoints> PackPoints(const std::vector<store::RunPoints>& points) {
  std::vector<profile::RunSegment> segments;
  for (const store::RunPoints& of_run : points) {
    absl::StatusOr<profile::SeriesSegment> segment = profile::DecodeSeries(of_run.payload);
    if (!segment.ok()) {
      return base::WithContext(segment.status(), absl::StrCat("run ", of_run.run_id));
    }
    segments.push_back({of_run.run_id, *std::move(segment)});
  }
  return ToStore(profile::EncodeSeriesChunk(segments));
}

absl::StatusOr<store::PackedPoints> MergePoints(const std::vector<store::PackedPoints>& points) {
  std::vector<std::vector<profile::ChunkRun>> lists;
  std::map<int64_t, MergedRun> runs;
  for (const store::PackedPoints& one : points) {
    ASSIGN_OR_RETURN(std::vector<profile::ChunkRun> list, profile::DecodeChunkRuns(one.runs));
    for (const profile::ChunkRun& run : list) {
      runs[run.run_id] = {lists.size(), {run.sample_rate, run.repetitions, {}}};
    }
    lists.push_back(std::move(list));
  }
  for (size_t i = 0; i < points.size(); ++i) {
    for (const store::FunctionPoints& function : points[i].functions) {
      ASSIGN_OR_RETURN(const std::vector<profile::ChunkPoint> of_function,
                       profile::DecodeFunctionColumns(static_cast<uint64_t>(function.function_hash),
                                                      function.payload, lists[i].size()));
      for (const auto& [run, point] : of_function) {
        MergedRun& merged = runs[lists[i][run].run_id];
        if (merged.newest == i) merged.segment.points.push_back(point);
      }
    }
  }
  std::vector<profile::RunSegment> segments;
  for (auto& [id, run] : runs) segments.push_back({id, std::move(run.segment)});
  return ToStore(profile::EncodeSeriesChunk(segments));
}

namespace {

// Whether the same analysis may succeed later. An error of the data is permanent.
bool IsTransient(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kAborted:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kCancelled:
      return true;
    default:
      return false;
  }
}

// An error of the store. A temporary disk error or a broken connection does not concern the job.
// Missing or damaged data is permanent.
absl::Status OfStore(const absl::Status& status) {
  if (status.code() != absl::StatusCode::kInternal && status.code() != absl::StatusCode::kUnknown) {
    return status;
  }
  absl::Status passing = absl::UnavailableError(status.message());
  status.ForEachPayload([&passing](absl::string_view type, const absl::Cord& payload) {
    passing.SetPayload(type, payload);
  });
  return passing;
}

// EndedAnalysis's outcome, from the results of the analysis and of Settle.
absl::string_view OutcomeOf(const absl::Status& analysis, const absl::Status& settled) {
  if (absl::IsFailedPrecondition(settled)) return "lost";
  if (!settled.ok()) return "again";
  return analysis.ok() ? "done" : "failed";
}

}  // namespace

Worker::Worker(store::JobQueue jobs, store::Reading reading, store::Blobs blobs, Analyze analyze,
               WorkerOptions options)
    : jobs_(std::move(jobs)),
      reading_(std::move(reading)),
      blobs_(std::move(blobs)),
      analyze_(std::move(analyze)),
      options_(std::move(options)) {}

absl::StatusOr<store::AnalysisResult> Worker::AnalyzeJob(
    const store::Job& job, const std::function<bool()>& stopping) const {
  const absl::StatusOr<store::RunRecord> run = reading_.ReadRun(job.run_id);
  if (!run.ok()) return OfStore(run.status());
  absl::StatusOr<store::TargetData> data = reading_.ReadTargetData(job.run_id, job.target);
  if (!data.ok()) return OfStore(data.status());
  const AnalysisInput input = {job.run_id, job.target, run->profile_kind, *std::move(data)};
  const auto read = [this](const store::BlobName& name) {
    absl::StatusOr<std::string> bytes = blobs_.Read(name);
    return bytes.ok() ? bytes : OfStore(bytes.status());
  };
  return analyze_(input, read, stopping);
}

absl::StatusOr<bool> Worker::RunOnce(const base::StopToken& stopping) {
  if (options_.prepare) {
    RETURN_IF_ERROR(options_.prepare([&stopping] { return stopping.IsSet(); }));
  }
  ASSIGN_OR_RETURN(const std::optional<store::Job> claimed,
                   jobs_.Claim(options_.name, options_.now(), options_.lease, options_.max_attempts,
                               options_.quiet));
  if (!claimed.has_value()) return false;
  const store::Job& job = *claimed;
  const base::LogFields fields{{"request", job.request}, {"run", absl::StrCat(job.run_id)}};
  const absl::Time begun = options_.now();

  absl::StatusOr<store::AnalysisResult> result = absl::UnknownError("not analysed");
  {
    LeaseKeeper lease(jobs_, job, options_.lease, options_.heartbeat, options_.now);
    result = AnalyzeJob(job, [&] { return stopping.IsSet() || lease.Lost(); });
  }
  absl::Status status = Settle(job, result);
  options_.on_ended({OutcomeOf(result.status(), status), options_.now() - begun});
  if (absl::IsFailedPrecondition(status)) {
    // Another worker has taken over the job and does the same; nothing is lost.
    spdlog::warn("worker {}: {} in run {} was taken over: {}", options_.name, job.target,
                 job.run_id, status.ToString());
    return true;
  }
  if (!status.ok()) return status;
  return true;
}

void Worker::SealPoints(const store::Job& job) const {
  absl::StatusOr<bool> sealed = jobs_.SealPoints(job, options_.seal_at, PackPoints);
  if (sealed.ok() && *sealed) sealed = jobs_.MergeSeals(job, options_.merge_at, MergePoints);
  if (!sealed.ok()) {
    spdlog::error("worker {}: cannot pack the points of {}: {}", options_.name, job.target,
                  sealed.status().ToString());
  }
}

absl::Status Worker::Settle(const store::Job& job,
                            const absl::StatusOr<store::AnalysisResult>& result) {
  const bool broke_down = absl::IsAborted(result.status());
  absl::Status status = result.status();
  if (status.ok()) status = OfStore(jobs_.Complete(job, *result, options_.now()));
  if (status.ok()) {
    spdlog::info("worker {}: analysed {} in run {}", options_.name, job.target, job.run_id);
    SealPoints(job);
    return status;
  }
  if (absl::IsFailedPrecondition(status)) return status;
  const bool retry = broke_down ? job.attempts < options_.max_breakdowns : IsTransient(status);
  // The row is shown to clients.
  std::string why = base::PublicMessageOf(status);
  if (broke_down && !retry) {
    why = absl::StrCat("gave up after ", job.attempts, " attempts; the last error: ", why);
  }
  if (broke_down || !retry) {
    spdlog::error("worker {}: cannot analyse {} in run {}{}: {}", options_.name, job.target,
                  job.run_id, retry ? ", retrying" : "", status.ToString());
  }
  using Ending = store::JobQueue::Ending;
  const Ending ending = !retry       ? Ending::kFailed
                        : broke_down ? Ending::kAgain
                                     : Ending::kNotCounted;
  RETURN_IF_ERROR(jobs_.Fail(job, why, ending, options_.now()));
  // A job whose analysis crashes must not delay the queue's other jobs.
  return retry && !broke_down ? status : absl::OkStatus();
}

}  // namespace gprofhub::analyzer
