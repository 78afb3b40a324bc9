#include "store/report_queue.h"

#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "store/rows/kept_changes.h"
#include "store/sql/database.h"
#include "store/sql/engine.h"
#include "store/validation.h"

namespace gprofhub::store {

namespace {

using sql::Dialect;
using sql::Row;
using sql::Rows;
using sql::Session;

absl::Status LostClaim(const ReportJob& job) {
  return absl::FailedPreconditionError(absl::StrCat("the report on run ", job.run_id,
                                                    " is no longer leased by worker '", job.worker,
                                                    "': its lease expired"));
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

// Projects with a claimable job, and none under way, the least recently served first.
absl::StatusOr<Rows> FindProjects(Session& session, int64_t of_branch, absl::Time now) {
  return session.Query(
      "SELECT waiting.project FROM (SELECT DISTINCT project FROM report_job "
      "WHERE state IN ('pending', 'leased') AND of_branch = $2 AND due_us <= $1 "
      "AND lease_until_us <= $1) AS waiting "
      "WHERE NOT EXISTS (SELECT 1 FROM report_job AS busy WHERE busy.state = 'leased' "
      "AND busy.of_branch = $2 AND busy.project = waiting.project AND busy.lease_until_us > $1) "
      "ORDER BY COALESCE((SELECT MAX(served.claimed_us) FROM report_job AS served "
      "WHERE served.of_branch = $2 AND served.project = waiting.project), 0), waiting.project",
      {absl::ToUnixMicros(now), of_branch});
}

// Whether the project has no job under way. Then it has none until the transaction ends: the lock
// on the project's first row covers all of them.
absl::StatusOr<bool> HoldProject(Session& session, const Dialect& dialect, int64_t of_branch,
                                 absl::string_view project, absl::Time now) {
  RETURN_IF_ERROR(
      session
          .Query(absl::StrCat("SELECT id FROM report_job WHERE of_branch = $1 AND project = $2 "
                              "ORDER BY id LIMIT 1",
                              dialect.for_update),
                 {of_branch, project})
          .status());
  ASSIGN_OR_RETURN(
      Rows busy,
      session.Query(
          "SELECT id FROM report_job WHERE state = 'leased' AND of_branch = $1 AND project = $2 "
          "AND lease_until_us > $3 LIMIT 1",
          {of_branch, project, absl::ToUnixMicros(now)}));
  return busy.empty();
}

// Ends a job that no worker gets done.
absl::Status GiveUp(Session& session, int64_t id, int64_t leases, const std::string& note) {
  return session.Execute(
      "UPDATE report_job SET state = 'failed', lease_until_us = 0, worker = '', lost_leases = $2, "
      "note = $3 WHERE id = $1",
      {id, leases,
       absl::StrCat("gave up after ", leases,
                    " expired leases; the reporter vanished during each attempt",
                    note.empty() ? "" : "; previous error: ", note)});
}

// The project's job that is due first; nullopt if it has none.
absl::StatusOr<std::optional<ReportJob>> ClaimOf(Session& session, const Dialect& dialect,
                                                 int64_t of_branch, absl::string_view project,
                                                 absl::string_view worker, absl::Time now,
                                                 absl::Duration lease) {
  while (true) {
    ASSIGN_OR_RETURN(
        Rows found,
        session.Query(
            absl::StrCat(
                "SELECT id, lost_leases + CASE WHEN state = 'leased' THEN 1 ELSE 0 END, note, "
                "CASE WHEN generation > claimed_generation THEN 1 ELSE 0 END "
                "FROM report_job WHERE state IN ('pending', 'leased') AND of_branch = $2 "
                "AND project = $3 AND due_us <= $1 AND lease_until_us <= $1 "
                "ORDER BY due_us, id LIMIT 1",
                dialect.for_update_skip_locked),
            {absl::ToUnixMicros(now), of_branch, project}));
    if (found.empty()) return std::nullopt;
    const int64_t id = found.front().Number(0);
    const bool is_new = found.front().Number(3) != 0;
    const int64_t lost = is_new ? 0 : found.front().Number(1);
    if (lost >= kMostLostLeases) {
      RETURN_IF_ERROR(GiveUp(session, id, lost, found.front().Text(2)));
      continue;
    }
    ASSIGN_OR_RETURN(
        Rows claimed,
        session.Query(
            "UPDATE report_job SET state = 'leased', worker = $2, lease_until_us = $3, "
            "attempts = CASE WHEN generation > claimed_generation THEN 1 ELSE attempts + 1 END, "
            "lost_leases = $4, claimed_us = $5, claimed_generation = generation, "
            // Waits since then end, although a clock that was ahead wrote it.
            "queued_us = CASE WHEN queued_us > $5 THEN $5 ELSE queued_us END WHERE id = $1 "
            "RETURNING run_id, attempts, generation, queued_us, request",
            {id, worker, absl::ToUnixMicros(now + lease), lost, absl::ToUnixMicros(now)}));
    if (claimed.empty()) return absl::InternalError("a report job has disappeared");
    const Row& row = claimed.front();
    ReportJob job;
    job.id = id;
    job.run_id = row.Number(0);
    job.attempts = static_cast<uint32_t>(row.Number(1));
    job.generation = row.Number(2);
    job.queued = absl::FromUnixMicros(row.Number(3));
    job.worker = std::string(worker);
    job.request = row.Text(4);
    return job;
  }
}

// A clock that was ahead may have queued reports, or delayed them, hours in the future: those are
// due now. Valid waits are an hour at most, or a twentieth of the time since the report was queued
// (reports that watch comments).
absl::Status EndFutureWaits(Session& session, absl::Time now) {
  return session.Execute(
      "UPDATE report_job SET due_us = $1 WHERE state IN ('pending', 'leased') "
      "AND state = 'pending' AND due_us > $2 + "
      "CASE WHEN queued_us < $1 THEN ($1 - queued_us) / 20 ELSE 0 END",
      {absl::ToUnixMicros(now), absl::ToUnixMicros(now + sql::FutureLeases::kLongest)});
}

absl::StatusOr<std::optional<ReportJob>> ClaimIn(sql::FutureLeases& future_leases, Session& session,
                                                 const Dialect& dialect, ReportKind kind,
                                                 absl::string_view worker, absl::Time now,
                                                 absl::Duration lease) {
  const int64_t of_branch = kind == ReportKind::kBranch;
  ASSIGN_OR_RETURN(const Rows projects, FindProjects(session, of_branch, now));
  for (const Row& row : projects) {
    const std::string project = row.Text(0);
    ASSIGN_OR_RETURN(const bool held, HoldProject(session, dialect, of_branch, project, now));
    if (!held) continue;
    absl::StatusOr<std::optional<ReportJob>> job =
        ClaimOf(session, dialect, of_branch, project, worker, now, lease);
    if (!job.ok() || job->has_value()) return job;
  }
  ASSIGN_OR_RETURN(const bool looked, future_leases.EndSometimes(session, "report_job", now));
  if (looked) {
    RETURN_IF_ERROR(EndFutureWaits(session, now));
  }
  return std::nullopt;
}

absl::Status FinishIn(Session& session, const ReportJob& job, const ReportOutcome& outcome,
                      absl::Time now) {
  const bool again = outcome.kind == ReportOutcome::Kind::kAgain;
  ASSIGN_OR_RETURN(
      Rows rows,
      session.Query(
          "UPDATE report_job SET "
          "state = CASE WHEN generation > claimed_generation THEN 'pending' ELSE $5 END, "
          "due_us = CASE WHEN generation > claimed_generation THEN due_us ELSE $6 END, "
          "note = $7, lease_until_us = 0, worker = '', lost_leases = 0 "
          "WHERE id = $1 AND state = 'leased' "
          "AND worker = $2 AND attempts = $3 AND claimed_generation = $4 RETURNING id",
          {job.id, job.worker, int64_t{job.attempts}, job.generation, StateAfter(outcome.kind),
           absl::ToUnixMicros(again ? outcome.due : now), outcome.note}));
  return rows.empty() ? LostClaim(job) : absl::OkStatus();
}

// The newest of the pull request's runs that has a job. A job under way is to be done once more,
// because it may have read the comments already.
absl::StatusOr<bool> WakeIn(Session& session, const Dialect& dialect, absl::string_view project,
                            const std::string& numbers, absl::Time due) {
  ASSIGN_OR_RETURN(
      Rows rows,
      session.Query(
          absl::StrCat("UPDATE report_job SET due_us = CASE WHEN state = 'pending' AND due_us < $3 "
                       "THEN due_us "
                       "ELSE $3 END, generation = CASE WHEN state = 'leased' THEN generation + 1 "
                       "ELSE generation END, "
                       "lost_leases = 0, "
                       "state = CASE WHEN state = 'leased' THEN 'leased' ELSE 'pending' END "
                       "WHERE run_id = (SELECT MAX(report_job.run_id) FROM report_job "
                       "JOIN run ON run.id = report_job.run_id WHERE run.project = $2 "
                       "AND run.pull_request IN (SELECT item ->> 0 FROM ",
                       dialect.list, ")) RETURNING id"),
          {numbers, project, absl::ToUnixMicros(due)}));
  return !rows.empty();
}

}  // namespace

ReportQueue::ReportQueue(std::shared_ptr<sql::Database> database)
    : database_(std::move(database)), future_leases_(std::make_shared<sql::FutureLeases>()) {}

absl::StatusOr<std::optional<ReportJob>> ReportQueue::Claim(ReportKind kind,
                                                            absl::string_view worker,
                                                            absl::Time now,
                                                            absl::Duration lease) const {
  RETURN_IF_ERROR(CheckKey("worker", worker));
  const absl::Duration skew = database_->ClockSkew();
  absl::StatusOr<std::optional<ReportJob>> job = sql::WriteIn(*database_, [&](Session& session) {
    return ClaimIn(*future_leases_, session, database_->dialect(), kind, worker, now + skew, lease);
  });
  if (job.ok() && job->has_value()) (*job)->queued -= skew;
  return job;
}

absl::StatusOr<std::optional<int64_t>> ReportQueue::TakeUnkeptRun(absl::Time now) const {
  now += database_->ClockSkew();
  ASSIGN_OR_RETURN(const bool any, sql::ReadIn(*database_, [&](Session& session) {
                     return sql::HasUnkeptRun(session, now);
                   }));
  if (!any) return std::nullopt;
  return sql::WriteIn(*database_, [&](Session& session) {
    return sql::TakeUnkeptRun(session, database_->dialect(), now);
  });
}

absl::Status ReportQueue::KeepChanges(const BranchKey& branch, const KeptChanges& kept) const {
  RETURN_IF_ERROR(CheckBranchKey(branch));
  if (kept.payload.size() > kMostKeptChanges) {
    return absl::InvalidArgumentError(absl::StrCat("payload: ", kept.payload.size(),
                                                   " bytes exceed the limit of ", kMostKeptChanges,
                                                   " bytes"));
  }
  return database_->Write([&](Session& session) {
    return sql::PutKeptChanges(session, database_->dialect(), branch, kept);
  });
}

absl::StatusOr<bool> ReportQueue::Wake(absl::string_view project,
                                       const std::vector<std::string>& numbers,
                                       absl::Time due) const {
  RETURN_IF_ERROR(CheckKey("project", project));
  for (const std::string& number : numbers) {
    RETURN_IF_ERROR(CheckKey("pull_request", number));
  }
  const std::string list = sql::JsonColumn(numbers);
  due += database_->ClockSkew();
  return sql::WriteIn(*database_, [&](Session& session) {
    return WakeIn(session, database_->dialect(), project, list, due);
  });
}

absl::Status ReportQueue::ExtendLease(const ReportJob& job, absl::Time now,
                                      absl::Duration lease) const {
  RETURN_IF_ERROR(CheckKey("worker", job.worker));
  const sql::Claim claim = {"report_job", job.id, job.worker, job.attempts, job.generation};
  now += database_->ClockSkew();
  return database_->Write([&](Session& session) {
    return sql::ExtendLease(session, claim, now + lease, LostClaim(job));
  });
}

absl::Status ReportQueue::Finish(const ReportJob& job, const ReportOutcome& outcome,
                                 absl::Time now) const {
  RETURN_IF_ERROR(CheckKey("worker", job.worker));
  ReportOutcome clean = outcome;
  clean.note = sql::CleanText(outcome.note, kMaxMessageBytes);
  const absl::Duration skew = database_->ClockSkew();
  clean.due += skew;
  now += skew;
  return database_->Write([&](Session& session) { return FinishIn(session, job, clean, now); });
}

absl::Status ReportQueue::SetMainBranch(absl::string_view project, MainBranchSource source,
                                        absl::string_view branch, const Actor& by,
                                        absl::Time now) const {
  RETURN_IF_ERROR(CheckKey("project", project));
  RETURN_IF_ERROR(CheckText("branch", branch));
  const absl::string_view name = source == MainBranchSource::kForge ? "forge" : "setting";
  return database_->Write([&](Session& session) {
    ASSIGN_OR_RETURN(
        const Rows known,
        session.Query("SELECT branch FROM main_branch WHERE project = $1 AND source = $2",
                      {project, name}));
    if ((known.empty() ? "" : known.front().View(0)) == branch) return absl::OkStatus();
    if (branch.empty()) {
      RETURN_IF_ERROR(session.Send("DELETE FROM main_branch WHERE project = $1 AND source = $2",
                                   {project, name}));
    } else {
      RETURN_IF_ERROR(
          session.Send("INSERT INTO main_branch (project, source, branch) VALUES ($1, $2, $3) "
                       "ON CONFLICT (project, source) DO UPDATE SET branch = excluded.branch",
                       {project, name, branch}));
    }
    return sql::AddAuditRow(session, by,
                            {project, "main-branch.set", absl::StrCat("project ", project),
                             absl::StrCat(name, ": ", branch)},
                            now);
  });
}

}  // namespace gprofhub::store
