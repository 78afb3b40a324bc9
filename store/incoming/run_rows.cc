#include "store/incoming/run_rows.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "store/sql/audit_rows.h"
#include "store/sql/due_reports.h"

namespace gprofhub::store::sql {
namespace {

// The column has two kinds; run.is_window marks the third.
absl::string_view ColumnOf(ProfileKind kind) {
  return kind == ProfileKind::kCounted ? "counted" : "sampled";
}

absl::string_view NameOf(ProfileKind kind) {
  return kind == ProfileKind::kWindow ? "window" : ColumnOf(kind);
}

absl::string_view NameOf(RerunRole role) {
  switch (role) {
    case RerunRole::kNone:
      return "none";
    case RerunRole::kExpected:
      return "expected";
    case RerunRole::kRerun:
      return "is";
  }
  return "none";
}

// Whose word a run is.
std::string TrustOf(absl::string_view pull_request, bool from_fork) {
  if (pull_request.empty()) return from_fork ? "of a fork" : "of the main line";
  return absl::StrCat("of pull request ", pull_request, from_fork ? " from a fork" : "");
}

}  // namespace

Statement AddRunUnlessThere(const NewExecution& execution, absl::Time now) {
  const RunRecord& run = execution.run;
  const int64_t started = absl::ToUnixMicros(run.started);
  const int64_t committed = absl::ToUnixMicros(run.committed);
  const int64_t ordered =
      std::min(committed != 0 ? committed : started, absl::ToUnixMicros(now + kClockSkew));
  // A row that conflicts would use up an id.
  return {
      "INSERT INTO run (project, run_key, commit_hash, branch, base_commit, pull_request, "
      "ci_link, configuration, from_fork, started_us, committed_us, ordered_us, "
      "received_us, machine, profile_kind, rerun, sender, is_window) "
      "SELECT $1, $2, $3, $4, $5, $6, $7, $8, CAST($9 AS bigint), CAST($10 AS bigint), "
      "CAST($11 AS bigint), CAST($12 AS bigint), CAST($13 AS bigint), $14, $15, $16, $17, "
      "CAST($18 AS bigint) "
      "WHERE NOT EXISTS (SELECT 1 FROM run WHERE project = $1 AND run_key = $2) "
      "ON CONFLICT (project, run_key) DO NOTHING RETURNING id",
      {run.project, run.run_key, run.commit, run.branch, run.base_commit, run.pull_request,
       run.ci_link, run.configuration, int64_t{run.from_fork}, started, committed, ordered,
       absl::ToUnixMicros(now), run.machine, ColumnOf(run.profile_kind), NameOf(run.rerun),
       execution.sender.name, int64_t{run.profile_kind == ProfileKind::kWindow}}};
}

Statement FindRun(const RunRecord& run, absl::string_view lock) {
  return {absl::StrCat("SELECT id, commit_hash, configuration, profile_kind, pull_request, "
                       "from_fork, sender, finished, counted_revision, is_window FROM run "
                       "WHERE project = $1 AND run_key = $2",
                       lock),
          {run.project, run.run_key}};
}

absl::StatusOr<std::optional<FoundRun>> CheckRun(const Rows& rows, const RunRecord& run) {
  if (rows.empty()) return std::nullopt;
  const Row row = rows.front();
  if (row.Text(4) != run.pull_request || (row.Number(5) != 0) != run.from_fork) {
    return absl::PermissionDeniedError(absl::StrCat(
        "run '", run.run_key, "' of project '", run.project, "' is ",
        TrustOf(row.Text(4), row.Number(5) != 0), ", as its first upload said; this one says ",
        TrustOf(run.pull_request, run.from_fork), ": give each run a key of its own"));
  }
  const auto mismatch = [&run](absl::string_view what, absl::string_view there,
                               absl::string_view given) {
    return absl::FailedPreconditionError(
        absl::StrCat("run '", run.run_key, "' of project '", run.project, "' is there with ", what,
                     " '", there, "', not '", given, "': give each run a key of its own"));
  };
  if (row.Text(1) != run.commit) return mismatch("commit", row.Text(1), run.commit);
  if (row.Text(2) != run.configuration) {
    return mismatch("configuration", row.Text(2), run.configuration);
  }
  const std::string kind = row.Number(9) != 0 ? "window" : row.Text(3);
  if (kind != NameOf(run.profile_kind)) {
    return mismatch("profiles of kind", kind, NameOf(run.profile_kind));
  }
  return FoundRun{row.Number(0), row.Text(6), row.Number(7) != 0, row.Number(8) >= 0};
}

absl::Status JoinRun(Session& session, const FoundRun& run, bool is_new,
                     const NewExecution& execution, absl::Time now) {
  const std::string subject = absl::StrCat("run ", run.id);
  if (is_new) {
    const RunRecord& record = execution.run;
    if (!record.ancestors.empty()) {
      absl::Status kept =
          session.Send("INSERT INTO run_ancestors (run_id, ancestors) VALUES ($1, $2)",
                       {run.id, JsonColumn(record.ancestors)});
      if (!kept.ok()) return kept;
    }
    const std::string detail =
        absl::StrCat("run key ", record.run_key, ", commit ", record.commit, ", branch ",
                     record.branch, ", ", TrustOf(record.pull_request, record.from_fork));
    return AddAuditRow(session, execution.sender, {record.project, "run.create", subject, detail},
                       now);
  }
  if (run.finished || run.is_counted) {
    if (absl::Status status = ReopenRun(session, run.id); !status.ok()) return status;
  }
  if (run.sender == execution.sender.name) return absl::OkStatus();
  const std::string detail =
      absl::StrCat(execution.execution.target, " attempt ", execution.execution.attempt,
                   "; the run was sent by ", run.sender);
  return AddAuditRow(session, execution.sender,
                     {execution.run.project, "run.extend", subject, detail}, now);
}

}  // namespace gprofhub::store::sql
