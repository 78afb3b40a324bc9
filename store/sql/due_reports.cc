#include "store/sql/due_reports.h"

#include "absl/strings/str_cat.h"
#include "store/records/records.h"

namespace gprofhub::store::sql {

absl::Status LockRunOfReport(Session& session, const Dialect& dialect, int64_t run_id) {
  return session.Execute(
      absl::StrCat("SELECT id FROM run WHERE id = $1 AND (pull_request <> '' OR from_fork = 0)",
                   dialect.for_update),
      {run_id});
}

absl::Status ChangeRun(Session& session, int64_t run_id) {
  absl::Status status = session.Execute(
      "UPDATE run SET revision = revision + 1, counted_revision = -1 WHERE id = $1", {run_id});
  if (!status.ok()) return status;
  return session.Send(
      absl::StrCat("DELETE FROM summary_span WHERE (project, branch, configuration, span) = "
                   "(SELECT project, branch, configuration, ",
                   kSpanOfRun, " FROM run WHERE id = $1)"),
      {run_id});
}

absl::Status QueueReport(Session& session, int64_t run_id, absl::Time now) {
  return session.Execute(
      "INSERT INTO report_job "
      "(run_id, state, queued_us, due_us, generation, of_branch, unkept, project, request) "
      "SELECT run.id, 'pending', CAST($2 AS bigint), "
      "CASE WHEN run.finished = 1 OR EXISTS (SELECT 1 FROM invocation "
      "WHERE invocation.run_id = run.id AND invocation.run_id <> 0 "  // as the index has it
      "AND invocation.state = 'ended') THEN CAST($2 AS bigint) ELSE CAST($3 AS bigint) END, 1, "
      "CASE WHEN run.pull_request = '' THEN 1 ELSE 0 END, "
      "CASE WHEN run.pull_request = '' THEN 1 ELSE 0 END, run.project, "
      // Of the analysis that ended last.
      "COALESCE((SELECT job.request FROM job JOIN target ON target.id = job.target_id "
      "WHERE target.run_id = run.id ORDER BY job.queued_us DESC, job.id DESC LIMIT 1), '') "
      "FROM run "
      "WHERE run.id = $1 AND (run.pull_request <> '' OR run.from_fork = 0) "
      "AND run.profile_kind = 'counted' "
      "AND NOT EXISTS (SELECT 1 FROM invocation WHERE invocation.run_id = run.id "
      "AND invocation.run_id <> 0 AND invocation.state <> 'ended') "
      // From the last label on: jobs are mostly done in the order of the labels, and the first that
      // is not done ends the search.
      "AND (SELECT 1 FROM target JOIN job ON job.target_id = target.id "
      "WHERE target.run_id = run.id AND job.state IN ('pending', 'leased') "
      "ORDER BY target.label DESC LIMIT 1) IS NULL "
      "ON CONFLICT (run_id) DO UPDATE SET generation = report_job.generation + 1, "
      "queued_us = excluded.queued_us, due_us = excluded.due_us, lost_leases = 0, "
      "request = excluded.request, unkept = excluded.unkept, "
      "state = CASE WHEN report_job.state = 'leased' THEN 'leased' ELSE 'pending' END",
      {run_id, absl::ToUnixMicros(now), absl::ToUnixMicros(now + kReportDelay)});
}

absl::Status HurryJobs(Session& session, int64_t run_id) {
  return session.Execute(
      "UPDATE job SET arrived_us = 0 WHERE state IN ('pending', 'leased') AND arrived_us <> 0 "
      "AND target_id IN (SELECT id FROM target WHERE run_id = $1)",
      {run_id});
}

absl::Status FinishRun(Session& session, absl::string_view project, int64_t run_id,
                       absl::Time now) {
  // The run's row is locked from here on: a job that ends meanwhile sees it (LockRunOfReport).
  const absl::StatusOr<Rows> run = session.Query(
      "UPDATE run SET finished = 1 WHERE id = $1 AND project = $2 RETURNING id", {run_id, project});
  if (!run.ok()) return run.status();
  if (run->empty()) {
    return absl::NotFoundError(absl::StrCat("project '", project, "' has no run ", run_id));
  }
  if (absl::Status status = HurryJobs(session, run_id); !status.ok()) return status;
  // A job that was claimed since it was queued waits for something else.
  return session.Execute(
      "UPDATE report_job SET due_us = $2 WHERE run_id = $1 AND state = 'pending' "
      "AND generation > claimed_generation AND due_us > $2",
      {run_id, absl::ToUnixMicros(now)});
}

absl::Status ReopenRun(Session& session, int64_t run_id) {
  return session.Send(
      "UPDATE run SET finished = 0, revision = revision + 1, counted_revision = -1 WHERE id = $1",
      {run_id});
}

}  // namespace gprofhub::store::sql
