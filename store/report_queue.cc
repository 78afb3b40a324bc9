#include "store/report_queue.h"

#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "store/sql/claims.h"
#include "store/sql/clean_text.h"
#include "store/sql/database.h"
#include "store/sql/transaction.h"
#include "store/validation.h"

namespace gprofhub::store {
namespace {

using sql::Dialect;
using sql::Row;
using sql::Rows;
using sql::Session;

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

absl::StatusOr<std::optional<ReportJob>> ClaimIn(Session& session, const Dialect& dialect,
                                                 ReportKind kind, absl::string_view worker,
                                                 absl::Time now, absl::Duration lease) {
  absl::StatusOr<Rows> found =
      session.Query(absl::StrCat("SELECT id FROM report_job WHERE state IN ('pending', 'leased') "
                                 "AND of_branch = $2 AND due_us <= $1 AND lease_until_us <= $1 "
                                 "ORDER BY due_us, id LIMIT 1",
                                 dialect.for_update_skip_locked),
                    {absl::ToUnixMicros(now), int64_t{kind == ReportKind::kBranch}});
  if (!found.ok()) return found.status();
  if (found->empty()) return std::nullopt;
  absl::StatusOr<Rows> claimed = session.Query(
      "UPDATE report_job SET state = 'leased', worker = $2, lease_until_us = $3, "
      "attempts = CASE WHEN generation > claimed_generation THEN 1 ELSE attempts + 1 END, "
      "claimed_generation = generation WHERE id = $1 "
      "RETURNING run_id, attempts, generation, queued_us, request",
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
  job.request = row.Text(4);
  return job;
}

absl::Status FinishIn(Session& session, const ReportJob& job, const ReportOutcome& outcome,
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

// The newest of the pull request's runs that has a job. A job under way is to be done once more,
// because it may have read the comments already.
absl::StatusOr<bool> WakeIn(Session& session, const Dialect& dialect, absl::string_view project,
                            const std::string& numbers, absl::Time due) {
  absl::StatusOr<Rows> rows = session.Query(
      absl::StrCat(
          "UPDATE report_job SET due_us = CASE WHEN state = 'pending' AND due_us < $3 THEN due_us "
          "ELSE $3 END, generation = CASE WHEN state = 'leased' THEN generation + 1 "
          "ELSE generation END, "
          "state = CASE WHEN state = 'leased' THEN 'leased' ELSE 'pending' END "
          "WHERE run_id = (SELECT MAX(report_job.run_id) FROM report_job "
          "JOIN run ON run.id = report_job.run_id WHERE run.project = $2 "
          "AND run.pull_request IN (SELECT item ->> 0 FROM ",
          dialect.list, ")) RETURNING id"),
      {numbers, project, absl::ToUnixMicros(due)});
  if (!rows.ok()) return rows.status();
  return !rows->empty();
}

}  // namespace

ReportQueue::ReportQueue(std::shared_ptr<sql::Database> database)
    : database_(std::move(database)) {}

absl::StatusOr<std::optional<ReportJob>> ReportQueue::Claim(ReportKind kind,
                                                            absl::string_view worker,
                                                            absl::Time now,
                                                            absl::Duration lease) const {
  if (absl::Status status = CheckKey("worker", worker); !status.ok()) return status;
  return sql::WriteIn(*database_, [&](Session& session) {
    return ClaimIn(session, database_->dialect(), kind, worker, now, lease);
  });
}

absl::StatusOr<bool> ReportQueue::Wake(absl::string_view project,
                                       const std::vector<std::string>& numbers,
                                       absl::Time due) const {
  if (absl::Status status = CheckKey("project", project); !status.ok()) return status;
  std::vector<std::vector<std::string>> rows;
  for (const std::string& number : numbers) {
    if (absl::Status status = CheckKey("pull_request", number); !status.ok()) return status;
    rows.push_back({number});
  }
  const std::string list = sql::JsonTable(rows);
  return sql::WriteIn(*database_, [&](Session& session) {
    return WakeIn(session, database_->dialect(), project, list, due);
  });
}

absl::Status ReportQueue::ExtendLease(const ReportJob& job, absl::Time now,
                                      absl::Duration lease) const {
  if (absl::Status status = CheckKey("worker", job.worker); !status.ok()) return status;
  const sql::Claim claim = {"report_job", job.id, job.worker, job.attempts, job.generation};
  return database_->Write([&](Session& session) {
    return sql::ExtendLease(session, claim, now + lease, LostClaim(job));
  });
}

absl::Status ReportQueue::Finish(const ReportJob& job, const ReportOutcome& outcome,
                                 absl::Time now) const {
  if (absl::Status status = CheckKey("worker", job.worker); !status.ok()) return status;
  ReportOutcome clean = outcome;
  clean.note = sql::CleanText(outcome.note, kMaxMessageBytes);
  return database_->Write([&](Session& session) { return FinishIn(session, job, clean, now); });
}

}  // namespace gprofhub::store
