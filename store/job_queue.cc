#include "store/job_queue.h"

#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "store/rows/points.h"
#include "store/sql/database.h"
#include "store/sql/engine.h"
#include "store/sql/follow_up_rows.h"
#include "store/validation.h"

namespace gprofhub::store {

namespace {

using sql::Dialect;
using sql::Row;
using sql::Rows;
using sql::Session;

absl::Status LostClaim(const Job& job) {
  return absl::FailedPreconditionError(absl::StrCat("job ", job.id, " (", job.target, " of run ",
                                                    job.run_id, ") is no longer leased by worker '",
                                                    job.worker, "': its lease expired"));
}

// Ends a job's lease. The job gets `state`, or is pending if more data arrived since the claim.
absl::Status EndClaim(Session& session, const Job& job, absl::string_view state,
                      absl::string_view error, absl::Time now) {
  RETURN_IF_ERROR(session.Execute(
      "UPDATE job SET state = CASE WHEN generation > claimed_generation THEN 'pending' ELSE $2 "
      "END, "
      "error = $3, queued_us = $4, lease_until_us = 0, worker = '' WHERE id = $1",
      {job.id, state, error, absl::ToUnixMicros(now)}));
  return sql::GiveTurnToJob(session, job.id);
}

// Ends a job whose workers all vanished or requested a retry: a "dead letter".
absl::Status GiveUp(Session& session, int64_t job_id, int64_t attempts, absl::string_view error,
                    absl::Time now) {
  const std::string message = absl::StrCat(
      "gave up after ", attempts, " attempts; ",
      error.empty() ? "the worker vanished during each attempt" : "last error: ", error);
  ASSIGN_OR_RETURN(
      Rows failed,
      session.Query(
          "UPDATE job SET state = 'failed', error = $2, lease_until_us = 0, worker = '', turn = 0 "
          "WHERE id = $1 "
          "RETURNING (SELECT run_id FROM target WHERE target.id = target_id)",
          {job_id, message}));
  if (failed.empty()) return absl::InternalError("a job has disappeared");
  const int64_t run_id = failed.front().Number(0);
  RETURN_IF_ERROR(sql::ChangeRun(session, run_id));
  return sql::QueueReport(session, run_id, now);
}

// The row of the next job to claim; empty if none is claimable. A job whose lease has expired goes
// first: it has waited for the end of the lease. Data that arrived in the future, by a clock that
// was ahead, is not waited for.
absl::StatusOr<Rows> FindClaimable(Session& session, const Dialect& dialect, absl::Time now,
                                   absl::Duration quiet) {
  constexpr absl::string_view kColumns =
      "SELECT id, attempts, error, CASE WHEN generation > claimed_generation THEN 1 ELSE 0 END "
      "FROM job WHERE ";
  absl::StatusOr<Rows> lost =
      session.Query(absl::StrCat(kColumns,
                                 "state = 'leased' AND lease_until_us <= $1 "
                                 "ORDER BY lease_until_us, id LIMIT 1",
                                 dialect.for_update_skip_locked),
                    {absl::ToUnixMicros(now)});
  if (!lost.ok() || !lost->empty()) return lost;
  return session.Query(
      absl::StrCat(kColumns,
                   "state = 'pending' "
                   "AND (claimed_generation IN (0, generation) OR arrived_us <= $1 "
                   "OR queued_us <= $2 OR arrived_us > $3) ORDER BY turn, id LIMIT 1",
                   dialect.for_update_skip_locked),
      {absl::ToUnixMicros(now - quiet), absl::ToUnixMicros(now - 10 * quiet),
       absl::ToUnixMicros(now + kClockSkew)});
}

absl::StatusOr<std::optional<Job>> ClaimIn(sql::FutureLeases& future_leases, Session& session,
                                           const Dialect& dialect, absl::string_view worker,
                                           absl::Time now, absl::Duration lease,
                                           uint32_t max_attempts, absl::Duration quiet) {
  while (true) {
    ASSIGN_OR_RETURN(Rows found, FindClaimable(session, dialect, now, quiet));
    if (found.empty()) {
      RETURN_IF_ERROR(future_leases.EndSometimes(session, "job", now).status());
      return std::nullopt;
    }
    const Row& row = found.front();
    const bool more_data = row.Number(3) != 0;
    if (!more_data && row.Number(1) >= int64_t{max_attempts}) {
      RETURN_IF_ERROR(GiveUp(session, row.Number(0), row.Number(1), row.Text(2), now));
      continue;
    }
    ASSIGN_OR_RETURN(
        Rows claimed,
        session.Query(
            "UPDATE job SET state = 'leased', worker = $2, lease_until_us = $3, turn = 0, "
            "attempts = CASE WHEN generation > claimed_generation THEN 1 ELSE attempts + 1 END, "
            "error = CASE WHEN generation > claimed_generation THEN '' ELSE error END, "
            "claimed_generation = generation WHERE id = $1 "
            "RETURNING attempts, generation, (SELECT run_id FROM target WHERE target.id = "
            "target_id), "
            "(SELECT label FROM target WHERE target.id = target_id), request",
            {row.Number(0), worker, absl::ToUnixMicros(now + lease)}));
    if (claimed.empty()) return absl::InternalError("a job has disappeared");
    Job job;
    job.id = row.Number(0);
    job.attempts = static_cast<uint32_t>(claimed.front().Number(0));
    job.generation = claimed.front().Number(1);
    job.run_id = claimed.front().Number(2);
    job.target = claimed.front().Text(3);
    job.worker = std::string(worker);
    job.request = claimed.front().Text(4);
    return job;
  }
}

// FAILED_PRECONDITION if the worker has lost the job. With Dialect::for_update as `lock`, the
// worker keeps the job until the transaction ends.
absl::Status CheckClaim(Session& session, absl::string_view lock, const Job& job) {
  ASSIGN_OR_RETURN(
      Rows rows,
      session.Query(absl::StrCat("SELECT id FROM job WHERE id = $1 AND state = 'leased' "
                                 "AND worker = $2 AND attempts = $3 AND claimed_generation = $4",
                                 lock),
                    {job.id, job.worker, int64_t{job.attempts}, job.generation}));
  return rows.empty() ? LostClaim(job) : absl::OkStatus();
}

absl::Status CompleteIn(Session& session, const Dialect& dialect, const Job& job,
                        const AnalysisResult& result, absl::Time now) {
  RETURN_IF_ERROR(sql::ChangeRun(session, job.run_id, /*analysed=*/true));
  RETURN_IF_ERROR(CheckClaim(session, dialect.for_update, job));
  RETURN_IF_ERROR(session.AddBlob(result.computed));
  RETURN_IF_ERROR(sql::MarkAsUsed(session, dialect, {result.computed.name}));
  ASSIGN_OR_RETURN(
      Rows target,
      session.Query("UPDATE target SET computed = $3 WHERE run_id = $1 AND label = $2 RETURNING id",
                    {job.run_id, job.target, result.computed.name}));
  if (target.empty()) return absl::InternalError("a job without a target");
  RETURN_IF_ERROR(sql::ReplacePoints(session, dialect, job.run_id, job.target, result.segments));
  RETURN_IF_ERROR(EndClaim(session, job, "done", "", now));
  return sql::QueueReport(session, job.run_id, now);
}

absl::Status FailIn(Session& session, const Dialect& dialect, const Job& job,
                    absl::string_view error, JobQueue::Ending ending, absl::Time now) {
  RETURN_IF_ERROR(sql::ChangeRun(session, job.run_id));
  RETURN_IF_ERROR(CheckClaim(session, dialect.for_update, job));
  const bool again = ending != JobQueue::Ending::kFailed;
  absl::Status status = EndClaim(session, job, again ? "pending" : "failed", error, now);
  if (status.ok() && ending == JobQueue::Ending::kNotCounted) {
    status = session.Execute("UPDATE job SET attempts = attempts - 1 WHERE id = $1", {job.id});
  }
  if (!status.ok()) return status;
  return sql::QueueReport(session, job.run_id, now);
}

}  // namespace

JobQueue::JobQueue(std::shared_ptr<sql::Database> database, std::shared_ptr<sql::BlobBytes> bytes)
    : database_(std::move(database)),
      future_leases_(std::make_shared<sql::FutureLeases>()),
      bytes_(std::move(bytes)) {}

absl::StatusOr<std::optional<Job>> JobQueue::Claim(absl::string_view worker, absl::Time now,
                                                   absl::Duration lease, uint32_t max_attempts,
                                                   absl::Duration quiet) const {
  RETURN_IF_ERROR(CheckKey("worker", worker));
  now += database_->ClockSkew();
  return sql::WriteIn(*database_, [&](Session& session) {
    return ClaimIn(*future_leases_, session, database_->dialect(), worker, now, lease, max_attempts,
                   quiet);
  });
}

absl::Status JobQueue::ExtendLease(const Job& job, absl::Time now, absl::Duration lease) const {
  RETURN_IF_ERROR(CheckKey("worker", job.worker));
  now += database_->ClockSkew();
  const sql::Claim claim = {"job", job.id, job.worker, job.attempts, job.generation};
  return database_->Write([&](Session& session) {
    return sql::ExtendLease(session, claim, now + lease, LostClaim(job));
  });
}

absl::Status JobQueue::Complete(const Job& job, const AnalysisResult& result,
                                absl::Time now) const {
  RETURN_IF_ERROR(CheckKey("worker", job.worker));
  now += database_->ClockSkew();
  RETURN_IF_ERROR(CheckResult(job, result));
  RETURN_IF_ERROR(
      database_->Read([&](Session& session) { return CheckClaim(session, /*lock=*/"", job); }));
  const Blob* const computed = &result.computed;
  RETURN_IF_ERROR(bytes_->Stage({&computed, 1}));
  absl::Status completed = database_->Write([&](Session& session) {
    return CompleteIn(session, database_->dialect(), job, result, now);
  });
  if (!completed.ok()) {
    // The job was taken over. The blob is unreferenced, so it is removed.
    (void)bytes_->RemoveUnnamed({&computed->name, 1}, absl::InfiniteFuture());
  }
  return completed;
}

absl::StatusOr<bool> JobQueue::SealPoints(const Job& job, uint32_t at,
                                          const PackPoints& pack) const {
  RETURN_IF_ERROR(CheckKey("target", job.target));
  absl::StatusOr<bool> due = sql::ReadIn(*database_, [&](Session& session) {
    return sql::HasOpenRuns(session, job.run_id, job.target, at);
  });
  if (!due.ok() || !*due) return due;
  return sql::WriteIn(*database_, [&](Session& session) {
    return sql::SealPoints(session, database_->dialect(), job.run_id, job.target, at, pack);
  });
}

absl::StatusOr<bool> JobQueue::MergeSeals(const Job& job, uint32_t at,
                                          const MergePoints& merge) const {
  RETURN_IF_ERROR(CheckKey("target", job.target));
  absl::StatusOr<bool> due = sql::ReadIn(*database_, [&](Session& session) {
    return sql::HasSmallSeals(session, job.run_id, job.target, at);
  });
  if (!due.ok() || !*due) return due;
  return sql::WriteIn(*database_, [&](Session& session) {
    return sql::MergeSeals(session, database_->dialect(), job.run_id, job.target, at, merge);
  });
}

absl::Status JobQueue::Fail(const Job& job, absl::string_view error, Ending ending,
                            absl::Time now) const {
  RETURN_IF_ERROR(CheckKey("worker", job.worker));
  now += database_->ClockSkew();
  const std::string clean = sql::CleanText(error, kMaxMessageBytes);
  return database_->Write([&](Session& session) {
    return FailIn(session, database_->dialect(), job, clean, ending, now);
  });
}

}  // namespace gprofhub::store
