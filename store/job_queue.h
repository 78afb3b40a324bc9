// The queue of analysis jobs: one job per target of a run.
//
//   pending ──claim──▶ leased ──complete──▶ done
//      ▲                 │  │
//      └──retry, or more─┘  └─fail, or too many attempts──▶ failed
//         data arrived
//
// A job's generation grows with every execution that arrives for its target. Attempts are
// counted per generation. Worker, attempts and claimed generation name one claim. A worker
// with an older claim has lost the job.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "store/records/records.h"

namespace gprofhub::store {

namespace sql {
class BlobBytes;
class Database;
class FutureLeases;
}  // namespace sql

// A part of the store: store.h documents what all parts guarantee.
class JobQueue {
 public:
  JobQueue(std::shared_ptr<sql::Database> database, std::shared_ptr<sql::BlobBytes> bytes);

  // Leases a job that is pending, or whose lease has expired, to `worker` until now + lease.
  // Projects take turns (sql/fair_turns.h), and each gets its oldest job. nullopt if none is due. A
  // job that was claimed `max_attempts` times without an end becomes failed (a "dead letter"). When
  // more data arrives for its target, it is pending again with an attempt count of 0.
  //
  // A target that received more data after its claim is due again once no data has arrived for
  // `quiet`, or after ten times as long; or at once if the run is complete (Ingest::FinishRun, the
  // end of an invocation). So a target of many shards is analysed twice, not once for each shard.
  absl::StatusOr<std::optional<Job>> Claim(absl::string_view worker, absl::Time now,
                                           absl::Duration lease, uint32_t max_attempts,
                                           absl::Duration quiet = absl::ZeroDuration()) const;

  // FAILED_PRECONDITION if the worker has lost the job.
  absl::Status ExtendLease(const Job& job, absl::Time now, absl::Duration lease) const;

  // Stores the result and ends the job in one step. If more data arrived since the claim,
  // the job becomes pending again. FAILED_PRECONDITION as above.
  absl::Status Complete(const Job& job, const AnalysisResult& result, absl::Time now) const;

  // Seals the oldest half of the open runs of the job's series, if `at` or more are open
  // (store/rows/points.h): sealed points are smaller and faster to read. Workers call it now and
  // then after completing jobs. Returns whether it sealed. On an error of `pack` nothing changes,
  // and the error is the result.
  absl::StatusOr<bool> SealPoints(const Job& job, uint32_t at, const PackPoints& pack) const;
  // Merges the oldest half of these seals, if there are `at` or more (store/rows/points.h).
  // To be called after a seal. Returns whether it merged. On an error of `merge` nothing changes,
  // and the error is the result.
  absl::StatusOr<bool> MergeSeals(const Job& job, uint32_t at, const MergePoints& merge) const;

  // How an attempt without a result ends.
  enum class Ending {
    kFailed,      // the job is failed
    kAgain,       // pending again, behind the project's other jobs
    kNotCounted,  // like the previous one, but the attempt is not counted: not the job's fault
  };
  // Ends this attempt. If more data arrived since the claim, the job becomes pending again in any
  // case. Bytes of `error` that are not UTF-8 become '?'. FAILED_PRECONDITION as above.
  absl::Status Fail(const Job& job, absl::string_view error, Ending ending, absl::Time now) const;

 private:
  std::shared_ptr<sql::Database> database_;
  std::shared_ptr<sql::FutureLeases> future_leases_;
  std::shared_ptr<sql::BlobBytes> bytes_;
};

}  // namespace gprofhub::store
