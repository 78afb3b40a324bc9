// Claims analysis jobs from the store's queue and does them, one at a time.
// Several workers, in one process or in many, work side by side: a job belongs
// to one of them for as long as it keeps extending its lease.
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
#include "base/work_loop.h"
#include "store/job_queue.h"
#include "store/reading.h"
#include "store/records/records.h"
#include "store/validation.h"

namespace gprofhub::analyzer {

// Points of many runs, packed for reading them all.

// A store::PackPoints. What analyses gave (profile/codec/series.h) becomes part of a
// chunk (profile/codec/series.h). DataLoss names the run whose points are damaged.
absl::StatusOr<store::PackedPoints> PackPoints(const std::vector<store::RunPoints>& points);

// A store::MergePoints. DataLoss if something of it is damaged.
absl::StatusOr<store::PackedPoints> MergePoints(const std::vector<store::PackedPoints>& points);

// An attempt at an analysis that is over.
struct EndedAnalysis {
  // "done"; "failed": its data is bad; "again": it was given back; "lost": another worker has it.
  absl::string_view outcome;
  absl::Duration took;
};

struct WorkerOptions {
  std::string name;  // no other worker of the store has it
  // A worker that died is found out after this time; one that lives extends its
  // lease this often.
  absl::Duration lease = absl::Minutes(1);
  absl::Duration heartbeat = absl::Seconds(15);
  // How often an idle worker looks for jobs that nobody woke it for (those of
  // other processes).
  absl::Duration poll = absl::Seconds(1);
  // Waiting time after the store could not be reached; doubles up to the second.
  absl::Duration min_backoff = absl::Seconds(1);
  absl::Duration max_backoff = absl::Minutes(1);
  // A job that was claimed so often without an end is given up. What is analysed cannot end a
  // worker, so a worker that vanishes says little about its job.
  uint32_t max_attempts = 50;
  // One whose analysis broke down so often (ABORTED) is set aside, with the reason.
  uint32_t max_breakdowns = 3;
  // A target of which more came after its first analysis is analysed again once nothing has come of
  // it for so long, or all of its run is there: a test of a hundred shards twice, not a hundred
  // times (JobQueue::Claim).
  absl::Duration quiet = absl::Seconds(5);
  // What an analysis needs. It is called before each claim; after an error no job is claimed.
  std::function<absl::Status(const std::function<bool()>& stopping)> prepare;
  // So many runs of a series lie open before the older half is packed (JobQueue::SealPoints). So
  // many packs there are before the older half is merged (JobQueue::MergeSeals): 8 of 32 runs.
  uint32_t seal_at = 64;
  uint32_t merge_at = 16;
  std::function<absl::Time()> now = absl::Now;
  // Is told of each attempt; must not block.
  std::function<void(const EndedAnalysis&)> on_ended = [](const EndedAnalysis&) {};
};

class Worker {
 public:
  Worker(store::JobQueue jobs, store::Reading reading, store::Blobs blobs, Analyze analyze,
         WorkerOptions options);

  // Works until Stop.
  void Run();

  // Makes Run return soon: a job under way is given back between two steps of
  // its analysis, or finished. Safe to call from any thread.
  void Stop();

  // Tells an idle worker that there may be a job. Safe to call from any thread.
  void Wake();

  // Claims one job and does it; false if there is none. A job whose data is bad
  // becomes failed with the reason, which is no error here. One whose analysis broke
  // down goes behind the other jobs of the queue. Errors: prepare's, and the store's; the job was
  // given back, and the attempt does not count, or its lease runs out.
  absl::StatusOr<bool> RunOnce();

  // As base::WorkLoop has it.
  absl::Duration BusyFor() const { return loop_.BusyFor(); }

 private:
  absl::StatusOr<store::AnalysisResult> AnalyzeJob(const store::Job& job,
                                                   const std::function<bool()>& stopping) const;
  // Nothing is lost where that fails: the next job of the series tries again.
  void SealPoints(const store::Job& job) const;
  absl::Status Settle(const store::Job& job, const absl::StatusOr<store::AnalysisResult>& result);

  const store::JobQueue jobs_;
  const store::Reading reading_;
  const store::Blobs blobs_;
  const Analyze analyze_;
  const WorkerOptions options_;
  base::WorkLoop loop_;
};

}  // namespace gprofhub::analyzer
