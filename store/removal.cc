#include "store/removal.h"

#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "store/rows/run_rows.h"
#include "store/sql/audit_rows.h"
#include "store/sql/database.h"
#include "store/sql/transaction.h"
#include "store/validation.h"

namespace gprofhub::store {
namespace {

using sql::Row;
using sql::Rows;
using sql::Session;

constexpr int64_t kAll = std::numeric_limits<int64_t>::max();
// Rows of a project that go in one transaction.
constexpr int64_t kRowsAtOnce = 500;

// Cached results that took the profiles of the run lose them: if the run was deleted because its
// data was wrong, it is wrong there, too. Their targets are analysed again.
absl::StatusOr<int64_t> TakeFromCachedResults(Session& session, const sql::Dialect& dialect,
                                              int64_t run_id, absl::Time now) {
  const absl::StatusOr<Rows> rows = session.Query(
      "SELECT execution.id, execution.target_id FROM execution "
      "JOIN target ON target.id = execution.target_id WHERE profiles_from <> 0 "
      "AND profiles_from IN (SELECT source.id FROM execution source JOIN target AS of_source "
      "ON of_source.id = source.target_id WHERE of_source.run_id = $1) AND target.run_id <> $1 "
      "ORDER BY execution.id",
      {run_id});
  if (!rows.ok()) return rows.status();
  if (rows->empty()) return 0;
  std::vector<int64_t> executions;
  std::set<int64_t> targets;
  for (const Row& row : *rows) {
    executions.push_back(row.Number(0));
    targets.insert(row.Number(1));
  }
  const absl::StatusOr<int64_t> profiles =
      sql::DeleteProfiles(session, dialect, executions, /*removed=*/false);
  if (!profiles.ok()) return profiles.status();
  for (const int64_t execution : executions) {
    absl::Status status =
        session.Execute("UPDATE execution SET profiles_from = 0 WHERE id = $1", {execution});
    if (!status.ok()) return status;
  }
  for (const int64_t target : targets) {
    absl::Status status = session.Execute(
        "UPDATE job SET generation = generation + 1, queued_us = $2, "
        "state = CASE WHEN state = 'leased' THEN 'leased' ELSE 'pending' END "
        "WHERE target_id = $1",
        {target, absl::ToUnixMicros(now)});
    if (!status.ok()) return status;
    status = session.Execute(
        "UPDATE run SET revision = revision + 1, counted_revision = -1 "
        "WHERE id IN (SELECT run_id FROM target WHERE id = $1)",
        {target});
    if (!status.ok()) return status;
  }
  return static_cast<int64_t>(executions.size());
}

absl::Status DeleteIn(Session& session, const sql::Dialect& dialect, absl::string_view project,
                      int64_t run_id, const Actor& by, absl::Time now) {
  // Uploads and workers take this lock first, too.
  absl::StatusOr<Rows> found =
      session.Query(absl::StrCat("SELECT run_key, commit_hash, branch, sender FROM run "
                                 "WHERE id = $1 AND project = $2",
                                 dialect.for_update),
                    {run_id, project});
  if (!found.ok()) return found.status();
  if (found->empty()) {
    return absl::NotFoundError(absl::StrCat("project \"", project, "\" has no run ", run_id));
  }
  const absl::StatusOr<std::vector<int64_t>> targets =
      sql::LockTargets(session, dialect, run_id, kAll);
  if (!targets.ok()) return targets.status();
  const absl::StatusOr<int64_t> cached = TakeFromCachedResults(session, dialect, run_id, now);
  if (!cached.ok()) return cached.status();
  absl::Status status = sql::DeleteTargets(session, dialect, run_id, *targets);
  if (!status.ok()) return status;
  status = sql::DeleteRunRow(session, run_id);
  if (!status.ok()) return status;
  const Row& run = found->front();
  const std::string subject = absl::StrCat("run ", run_id);
  const std::string detail = absl::StrCat(
      "run key ", run.Text(0), ", commit ", run.Text(1), ", branch ", run.Text(2), ", sent by ",
      run.Text(3), *cached == 0 ? "" : absl::StrCat(", cached results that took it: ", *cached));
  return sql::AddAuditRow(session, by, {project, "run.delete", subject, detail}, now);
}

// Rows of a project other than its runs. Each kind is deleted in steps.
struct ProjectRows {
  absl::string_view name;
  absl::string_view statement;  // $1: the project, $2: how many
};
constexpr ProjectRows kOfProject[] = {
    {"acknowledgements",
     "DELETE FROM acknowledgement WHERE id IN (SELECT id FROM acknowledgement WHERE project = $1 "
     "ORDER BY id LIMIT $2) RETURNING id"},
    {"kept changes",
     "DELETE FROM kept_changes WHERE branch_key IN (SELECT branch_key FROM kept_changes WHERE "
     "project = $1 ORDER BY branch_key LIMIT $2) RETURNING 1"},
    {"summaries of days",
     "DELETE FROM summary_span WHERE id IN (SELECT id FROM summary_span WHERE project = $1 "
     "ORDER BY id LIMIT $2) RETURNING id"},
    {"culprits",
     "DELETE FROM culprit WHERE id IN (SELECT id FROM culprit WHERE project = $1 ORDER BY id "
     "LIMIT $2) RETURNING id"},
    {"notifications",
     "DELETE FROM notification WHERE id IN (SELECT id FROM notification WHERE project = $1 "
     "ORDER BY id LIMIT $2) RETURNING id"},
    {"invocations",
     "DELETE FROM invocation WHERE id IN (SELECT id FROM invocation WHERE project = $1 ORDER BY id "
     "LIMIT $2) RETURNING id"},
    {"rights to blobs",
     "DELETE FROM blob_right WHERE project = $1 AND name IN (SELECT name FROM blob_right WHERE "
     "project = $1 ORDER BY name LIMIT $2) RETURNING 1"},
    {"pieces of files that Bazel handed over",
     "DELETE FROM transfer_piece WHERE blob_id IN (SELECT DISTINCT transfer_piece.blob_id FROM "
     "transfer_piece JOIN transfer_blob ON transfer_blob.id = transfer_piece.blob_id WHERE "
     "transfer_blob.project = $1 LIMIT $2) RETURNING 1"},
    {"files that Bazel handed over",
     "DELETE FROM transfer_blob WHERE id IN (SELECT id FROM transfer_blob WHERE project = $1 "
     "ORDER BY id LIMIT $2) RETURNING id"},
    {"room for files that Bazel hands over",
     "DELETE FROM transfer_room WHERE project IN (SELECT project FROM transfer_room WHERE "
     "project = $1 LIMIT $2) RETURNING 1"},
    {"tokens (revoked)",
     "UPDATE token SET revoked = 1 WHERE id IN (SELECT id FROM token WHERE project = $1 AND "
     "revoked = 0 ORDER BY id LIMIT $2) RETURNING id"},
    {"policy of retention",
     "DELETE FROM retention WHERE project IN (SELECT project FROM retention WHERE project = $1 "
     "LIMIT $2) RETURNING 1"},
};

// How many went.
absl::StatusOr<int64_t> DeleteSome(Session& session, absl::string_view project,
                                   const ProjectRows& rows, const Actor& by, absl::Time now) {
  const absl::StatusOr<Rows> gone = session.Query(rows.statement, {project, kRowsAtOnce});
  if (!gone.ok()) return gone.status();
  const int64_t count = static_cast<int64_t>(gone->size());
  if (count == 0) return 0;
  const std::string detail = absl::StrCat(rows.name, ": ", count);
  absl::Status status = sql::AddAuditRow(
      session, by, {project, "project.delete", absl::StrCat("project ", project), detail}, now);
  if (!status.ok()) return status;
  return count;
}

absl::StatusOr<std::vector<int64_t>> ToIds(const absl::StatusOr<Rows>& rows) {
  if (!rows.ok()) return rows.status();
  std::vector<int64_t> ids;
  for (const Row& row : *rows) ids.push_back(row.Number(0));
  return ids;
}

}  // namespace

Removal::Removal(std::shared_ptr<sql::Database> database) : database_(std::move(database)) {}

absl::Status Removal::DeleteRun(absl::string_view project, int64_t run_id, const Actor& by,
                                absl::Time now) const {
  if (absl::Status status = CheckKey("project", project); !status.ok()) return status;
  return database_->Write([&](Session& session) {
    return DeleteIn(session, database_->dialect(), project, run_id, by, now);
  });
}

absl::StatusOr<std::vector<int64_t>> Removal::RunsOfBranch(absl::string_view project,
                                                           absl::string_view branch) const {
  if (absl::Status status = CheckKey("project", project); !status.ok()) return status;
  if (absl::Status status = CheckKey("branch", branch); !status.ok()) return status;
  return sql::ReadIn(*database_, [&](Session& session) {
    return ToIds(session.Query("SELECT id FROM run WHERE project = $1 AND branch = $2 ORDER BY id",
                               {project, branch}));
  });
}

absl::StatusOr<std::vector<int64_t>> Removal::RunsOfProject(absl::string_view project) const {
  if (absl::Status status = CheckKey("project", project); !status.ok()) return status;
  return sql::ReadIn(*database_, [&](Session& session) {
    return ToIds(session.Query("SELECT id FROM run WHERE project = $1 ORDER BY id", {project}));
  });
}

absl::Status Removal::DeleteRestOfProject(absl::string_view project, const Actor& by,
                                          absl::Time now) const {
  if (absl::Status status = CheckKey("project", project); !status.ok()) return status;
  for (const ProjectRows& rows : kOfProject) {
    while (true) {
      const absl::StatusOr<int64_t> gone = sql::WriteIn(*database_, [&](Session& session) {
        return DeleteSome(session, project, rows, by, now);
      });
      if (!gone.ok()) return gone.status();
      if (*gone < kRowsAtOnce) break;
    }
  }
  return absl::OkStatus();
}

}  // namespace gprofhub::store
