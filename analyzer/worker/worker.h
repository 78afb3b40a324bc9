// Claims analysis jobs from the store's queue and does them, one at a time.
// Several workers, in one or many processes, run concurrently: a job belongs to one of them as long
// as that worker extends its lease.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "analyzer/worker/analysis_child.h"
#include "base/stop_token.h"
#include "store/job_queue.h"
#include "store/reading.h"
#include "store/records/records.h"
#include "store/validation.h"

namespace gprofhub::analyzer {

// Packs the points of many runs for reading them together.

// A store::PackPoints. Converts the points that analyses stored (profile/codec/series.h) to a chunk
// (profile/codec/series.h). DataLoss names the run whose points are damaged.
absl::StatusOr<store::PackedPoints> PackPoints(const std::vector<store::RunPoints>& points);

// A store::MergePoints. DataLoss if an input is damaged.
absl::StatusOr<store::PackedPoints> MergePoints(const std::vector<store::PackedPoints>& points);

// A finished attempt at an analysis.
struct EndedAnalysis {
  // "done"; "failed": its data is bad; "again": it was returned to the queue; "lost": another
  // worker has it.
  absl::string_view outcome;
  absl::Duration took;
};

struct WorkerOptions {
  std::string name;  // unique among the workers of the store
  // `lease`: time after which the job of a dead worker is taken over. `heartbeat`: interval at
  // which a live worker extends its lease.
  absl::Duration lease = absl::Minutes(1);
  absl::Duration heartbeat = absl::Seconds(15);
  // Number of claims without a result after which a job is abandoned. An analysis cannot end a
  // worker, so the loss of a worker implies little about its job.
  uint32_t max_attempts = 50;
  // Number of ABORTED analyses after which a job fails, with the reason.
  uint32_t max_breakdowns = 3;
  // A target with data that arrived after its first analysis is analysed again once no data has
  // arrived for this time, or its run is complete: a test of a hundred shards is analysed twice,
  // not a hundred times (JobQueue::Claim).
  absl::Duration quiet = absl::Seconds(5);
  // Prepares the resources of an analysis. Called before each claim; after an error no job is
  // claimed.
  std::function<absl::Status(const std::function<bool()>& stopping)> prepare;
  // Number of unpacked runs of a series at which the older half is packed (JobQueue::SealPoints),
  // and number of packs at which the older half is merged (JobQueue::MergeSeals): 8 packs of 32
  // runs.
  uint32_t seal_at = 64;
  uint32_t merge_at = 16;
  std::function<absl::Time()> now = absl::Now;
  // Notified of each attempt; must not block.
  std::function<void(const EndedAnalysis&)> on_ended = [](const EndedAnalysis&) {};
};

class Worker {
 public:
  Worker(store::JobQueue jobs, store::Reading reading, store::Blobs blobs, Analyze analyze,
         WorkerOptions options);

  // Claims one job and does it; false if the queue is empty. A job with bad data becomes failed
  // with the reason; this is not an error of RunOnce. A job whose analysis crashed is moved behind
  // the other jobs of the queue. Errors: those of prepare and of the store. Then the job was
  // returned to the queue and the attempt does not count, or its lease expires. Once `stopping` is
  // set, the job is returned to the queue between two steps of its analysis, or finished.
  absl::StatusOr<bool> RunOnce(const base::StopToken& stopping = {});

 private:
  absl::StatusOr<store::AnalysisResult> AnalyzeJob(const store::Job& job,
                                                   const std::function<bool()>& stopping) const;
  // A failure loses nothing: the next job of the series tries again.
  void SealPoints(const store::Job& job) const;
  absl::Status Settle(const store::Job& job, const absl::StatusOr<store::AnalysisResult>& result);

  const store::JobQueue jobs_;
  const store::Reading reading_;
  const store::Blobs blobs_;
  const Analyze analyze_;
  const WorkerOptions options_;
};

}  // namespace gprofhub::analyzer
