#include "store/sql/reports.h"

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "store/store.h"

namespace gprofhub::sql {
namespace {

absl::Status LostClaim(const ReportJob& job) {
  return absl::FailedPreconditionError(absl::StrCat("the report on run ", job.run_id,
                                                    " is no longer worker '", job.worker,
                                                    "'s: its lease ran out"));
}

absl::string_view StateAfter(ReportOutcome::Kind kind) {
  switch (kind) {
    case ReportOutcome::Kind::kDone:
      return "done";
    case ReportOutcome::Kind::kFailed:
      return "failed";
    case ReportOutcome::Kind::kAgain:
      return "pending";
  }
  return "failed";
}

}  // namespace

absl::Status LockRunOfReport(Session& session, const Dialect& dialect, int64_t run_id) {
  return session.Execute(
      absl::StrCat("SELECT id FROM run WHERE id = $1 AND pull_request <> ''", dialect.for_update),
      {run_id});
}

absl::Status QueueReport(Session& session, int64_t run_id, absl::Time now) {
  return session.Execute(
      "INSERT INTO report_job (run_id, state, queued_us, due_us, generation) "
      "SELECT run.id, 'pending', CAST($2 AS bigint), CAST($3 AS bigint), 1 FROM run "
      "WHERE run.id = $1 AND run.pull_request <> '' AND run.profile_kind = 'counted' "
      "AND NOT EXISTS (SELECT 1 FROM job "
      "JOIN target ON target.id = job.target_id "
      "WHERE target.run_id = run.id AND job.state IN ('pending', 'leased')) "
      "ON CONFLICT (run_id) DO UPDATE SET generation = report_job.generation + 1, "
      "queued_us = excluded.queued_us, due_us = excluded.due_us, "
      "state = CASE WHEN report_job.state = 'leased' THEN 'leased' ELSE 'pending' END",
      {run_id, absl::ToUnixMicros(now), absl::ToUnixMicros(now + kReportDelay)});
}

absl::StatusOr<std::optional<ReportJob>> ClaimReportJob(Session& session, const Dialect& dialect,
                                                        absl::string_view worker, absl::Time now,
                                                        absl::Duration lease) {
  absl::StatusOr<Rows> found = session.Query(
      absl::StrCat("SELECT id FROM report_job WHERE state IN ('pending', 'leased') "
                   "AND due_us <= $1 AND lease_until_us <= $1 ORDER BY due_us, id LIMIT 1",
                   dialect.for_update_skip_locked),
      {absl::ToUnixMicros(now)});
  if (!found.ok()) return found.status();
  if (found->empty()) return std::nullopt;
  absl::StatusOr<Rows> claimed = session.Query(
      "UPDATE report_job SET state = 'leased', worker = $2, lease_until_us = $3, "
      "attempts = CASE WHEN generation > claimed_generation THEN 1 ELSE attempts + 1 END, "
      "claimed_generation = generation WHERE id = $1 "
      "RETURNING run_id, attempts, generation, queued_us",
      {found->front().Number(0), worker, absl::ToUnixMicros(now + lease)});
  if (!claimed.ok()) return claimed.status();
  if (claimed->empty()) return absl::InternalError("a report job that was there has gone");
  const Row& row = claimed->front();
  ReportJob job;
  job.id = found->front().Number(0);
  job.run_id = row.Number(0);
  job.attempts = static_cast<uint32_t>(row.Number(1));
  job.generation = row.Number(2);
  job.queued = absl::FromUnixMicros(row.Number(3));
  job.worker = std::string(worker);
  return job;
}

absl::Status ExtendReportLease(Session& session, const ReportJob& job, absl::Time now,
                               absl::Duration lease) {
  absl::StatusOr<Rows> rows = session.Query(
      "UPDATE report_job SET lease_until_us = $5 WHERE id = $1 AND state = 'leased' "
      "AND worker = $2 AND attempts = $3 AND claimed_generation = $4 RETURNING id",
      {job.id, job.worker, int64_t{job.attempts}, job.generation, absl::ToUnixMicros(now + lease)});
  if (!rows.ok()) return rows.status();
  return rows->empty() ? LostClaim(job) : absl::OkStatus();
}

absl::Status FinishReportJob(Session& session, const ReportJob& job, const ReportOutcome& outcome,
                             absl::Time now) {
  const bool again = outcome.kind == ReportOutcome::Kind::kAgain;
  absl::StatusOr<Rows> rows = session.Query(
      "UPDATE report_job SET "
      "state = CASE WHEN generation > claimed_generation THEN 'pending' ELSE $5 END, "
      "due_us = CASE WHEN generation > claimed_generation THEN due_us ELSE $6 END, "
      "note = $7, lease_until_us = 0, worker = '' WHERE id = $1 AND state = 'leased' "
      "AND worker = $2 AND attempts = $3 AND claimed_generation = $4 RETURNING id",
      {job.id, job.worker, int64_t{job.attempts}, job.generation, StateAfter(outcome.kind),
       absl::ToUnixMicros(again ? outcome.due : now), outcome.note});
  if (!rows.ok()) return rows.status();
  return rows->empty() ? LostClaim(job) : absl::OkStatus();
}

}  // namespace gprofhub::sql
