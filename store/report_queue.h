// The queue of reports on runs: one job per run.
//
//   pending ──claim──▶ leased ──done──▶ done
//      ▲                 │  └──failed──▶ failed
//      └──again, or──────┘
//         analysed anew
//
// When the last analysis job of a run ends, the run gets a report job, or its existing job is due
// again. It is due kReportDelay later, because more executions may be in flight. The end of Bazel's
// invocation (store/invocations.h) or the uploader (Ingest::FinishRun) marks the run as
// complete: then it is due at once. The job of a run with a pull request reports to that; other
// jobs notify the subscribers of the branch. A run of sampled profiles has no report job, nor has a
// fork's run without a pull request.
//
// As in job_queue.h, worker, attempts and claimed generation identify one claim. The reporter
// decides how long it waits for a forge that is down. But a job whose leases expire, because it
// kills every worker, becomes failed after kMostLostLeases of them.
//
// A project has at most one job of a kind under way. So a hung forge blocks one worker, and two
// workers never post on one pull request at the same time.
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
#include "store/records/records.h"
#include "store/records/summaries.h"

namespace gprofhub::store {

namespace sql {
class Database;
class FutureLeases;
}  // namespace sql

inline constexpr size_t kMostKeptChanges = size_t{16} << 20;

// Maximum number of consecutive expired leases for one generation of a job.
inline constexpr int64_t kMostLostLeases = 5;

// Who names a project's main branch.
enum class MainBranchSource { kForge, kSetting };

// A part of the store: store.h documents what all parts guarantee.
class ReportQueue {
 public:
  explicit ReportQueue(std::shared_ptr<sql::Database> database);

  // Picks the least recently served project that has a due job of the kind, or one with an expired
  // lease, and none under way. Leases its job that was due first to `worker` until now + lease.
  // nullopt if none is due.
  absl::StatusOr<std::optional<ReportJob>> Claim(ReportKind kind, absl::string_view worker,
                                                 absl::Time now, absl::Duration lease) const;

  // FAILED_PRECONDITION if the worker has lost the job.
  absl::Status ExtendLease(const ReportJob& job, absl::Time now, absl::Duration lease) const;

  // Ends this attempt. If the run was analysed again since the claim, the job is pending again,
  // regardless of the outcome. FAILED_PRECONDITION as above.
  absl::Status Finish(const ReportJob& job, const ReportOutcome& outcome, absl::Time now) const;

  // A run of a branch whose report is due, and whose branch's changes were not computed since. It
  // is returned once, the newest first; nullopt without such a run. It needs no lease: if the
  // caller fails, the next query computes the changes.
  absl::StatusOr<std::optional<int64_t>> TakeUnkeptRun(absl::Time now) const;

  // Replaces the cached changes of the report's branch (Reading::ReadKeptChanges). No effect if one
  // of its runs has changed meanwhile. The payload has at most kMostKeptChanges bytes.
  absl::Status KeepChanges(const BranchKey& branch, const KeptChanges& kept) const;

  // Makes the job of the pull request's newest run due at `due`, regardless of its last outcome. A
  // job that is due earlier stays as it is. `numbers` are the ways in which uploads write the pull
  // request. False without a job.
  absl::StatusOr<bool> Wake(absl::string_view project, const std::vector<std::string>& numbers,
                            absl::Time due) const;

  // Records the project's main branch according to the source; an empty branch removes the record.
  // Reading::FindMainBranch prefers the forge's. A change is in the audit log.
  absl::Status SetMainBranch(absl::string_view project, MainBranchSource source,
                             absl::string_view branch, const Actor& by, absl::Time now) const;

 private:
  std::shared_ptr<sql::Database> database_;
  std::shared_ptr<sql::FutureLeases> future_leases_;
};

}  // namespace gprofhub::store
