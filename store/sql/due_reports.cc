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

absl::Status QueueReport(Session& session, int64_t run_id, absl::Time now) {
  return session.Execute(
      "INSERT INTO report_job "
      "(run_id, state, queued_us, due_us, generation, of_branch, project, request) "
      "SELECT run.id, 'pending', CAST($2 AS bigint), "
      "CASE WHEN EXISTS (SELECT 1 FROM invocation WHERE invocation.run_id = run.id "
      "AND invocation.state = 'ended') THEN CAST($2 AS bigint) ELSE CAST($3 AS bigint) END, 1, "
      "CASE WHEN run.pull_request = '' THEN 1 ELSE 0 END, run.project, "
      // Of the analysis that ended last.
      "COALESCE((SELECT job.request FROM job JOIN target ON target.id = job.target_id "
      "WHERE target.run_id = run.id ORDER BY job.queued_us DESC, job.id DESC LIMIT 1), '') "
      "FROM run "
      "WHERE run.id = $1 AND (run.pull_request <> '' OR run.from_fork = 0) "
      "AND run.profile_kind = 'counted' "
      "AND NOT EXISTS (SELECT 1 FROM invocation WHERE invocation.run_id = run.id "
      "AND invocation.state <> 'ended') "
      "AND NOT EXISTS (SELECT 1 FROM job "
      "JOIN target ON target.id = job.target_id "
      "WHERE target.run_id = run.id AND job.state IN ('pending', 'leased')) "
      "ON CONFLICT (run_id) DO UPDATE SET generation = report_job.generation + 1, "
      "queued_us = excluded.queued_us, due_us = excluded.due_us, lost_leases = 0, "
      "request = excluded.request, "
      "state = CASE WHEN report_job.state = 'leased' THEN 'leased' ELSE 'pending' END",
      {run_id, absl::ToUnixMicros(now), absl::ToUnixMicros(now + kReportDelay)});
}

}  // namespace gprofhub::store::sql
