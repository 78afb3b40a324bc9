// The queue of reports on runs: one job per run.
//
//   pending ──claim──▶ leased ──done──▶ done
//      ▲                 │  └──failed──▶ failed
//      └──again, or──────┘
//         analysed anew
//
// When the last analysis job of a run ends, the run gets a report job, or its job is due once more.
// It is due kReportDelay later, because more of the run may be on its way. The end of Bazel's
// invocation says that nothing is (store/invocations/invocations.h), and so does the uploader's
// word (Ingest::FinishRun): then it is due at once. The job of a run with a pull request is for
// that. The job of another one is for those whom changes of the branch are told. A run of sampled
// profiles has no report job, nor has a fork's run without a pull request.
//
// As in job_queue.h, worker, attempts and claimed generation name one claim. The reporter decides
// how long it waits for a forge that is down. But a job whose leases run out, because it ends
// whoever does it, becomes failed after kMostLostLeases of them.
//
// A project has at most one job of a kind under way. So a forge that hangs keeps one worker, and
// two workers never post on one pull request at the same time.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "store/records/history.h"
#include "store/records/records.h"

namespace gprofhub::store {

namespace sql {
class Database;
class FutureLeases;
}  // namespace sql

inline constexpr size_t kMostKeptChanges = size_t{16} << 20;

// Leases of one generation of a job that may run out, one after the other.
inline constexpr int64_t kMostLostLeases = 5;

// A part of the store: store.h says what holds for all of them.
class ReportQueue {
 public:
  explicit ReportQueue(std::shared_ptr<sql::Database> database);

  // Of the projects that have a job of the kind that is due, or whose lease has run out, and none
  // under way, takes the one that was served longest ago. Gives its job that was due first to
  // `worker` until now + lease. nullopt if there is none.
  absl::StatusOr<std::optional<ReportJob>> Claim(ReportKind kind, absl::string_view worker,
                                                 absl::Time now, absl::Duration lease) const;

  // FAILED_PRECONDITION if the job is no longer this worker's.
  absl::Status ExtendLease(const ReportJob& job, absl::Time now, absl::Duration lease) const;

  // Ends this attempt. If the run was analysed again since the claim, the job is pending again,
  // whatever the outcome. FAILED_PRECONDITION as above.
  absl::Status Finish(const ReportJob& job, const ReportOutcome& outcome, absl::Time now) const;

  // A run of a branch whose report is due, and whose branch's changes nobody has looked at since.
  // It is given once, the newest first; nullopt if there is none. It needs no lease: who fails
  // leaves changes to be found by those who ask for them.
  absl::StatusOr<std::optional<int64_t>> TakeUnkeptRun(absl::Time now) const;

  // Keeps what a report found of its branch's changes, in place of what was found before
  // (Reading::ReadKeptChanges). Nothing happens if one of its runs is no longer as it was. The
  // payload has at most kMostKeptChanges bytes.
  absl::Status KeepChanges(const BranchKey& branch, const KeptChanges& kept) const;

  // Makes the job of the pull request's newest run due at `due`, whatever became of it before. A
  // job that is to be done earlier stays as it is. `numbers` are the ways in which uploads write
  // the pull request. False if there is no job.
  absl::StatusOr<bool> Wake(absl::string_view project, const std::vector<std::string>& numbers,
                            absl::Time due) const;

 private:
  std::shared_ptr<sql::Database> database_;
  std::shared_ptr<sql::FutureLeases> future_leases_;
};

}  // namespace gprofhub::store
