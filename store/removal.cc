#include "store/removal.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "store/sql/audit_rows.h"
#include "store/sql/database.h"
#include "store/sql/transaction.h"
#include "store/validation.h"

namespace gprofhub::store {
namespace {

using sql::Row;
using sql::Rows;
using sql::Session;

// What refers to a run, each before what it refers to itself. $1 is the run.
constexpr absl::string_view kDeletions[] = {
    "DELETE FROM segment WHERE target_id IN (SELECT id FROM target WHERE run_id = $1)",
    "DELETE FROM job WHERE target_id IN (SELECT id FROM target WHERE run_id = $1)",
    ("DELETE FROM profile WHERE execution_id IN (SELECT execution.id FROM execution "
     "JOIN target ON target.id = execution.target_id WHERE target.run_id = $1)"),
    ("DELETE FROM image WHERE execution_id IN (SELECT execution.id FROM execution "
     "JOIN target ON target.id = execution.target_id WHERE target.run_id = $1)"),
    "DELETE FROM execution WHERE target_id IN (SELECT id FROM target WHERE run_id = $1)",
    "DELETE FROM target WHERE run_id = $1",
    "DELETE FROM report_job WHERE run_id = $1",
    "DELETE FROM gated WHERE run_id = $1",
    "DELETE FROM rerun_request WHERE run_id = $1",
    "DELETE FROM run WHERE id = $1",
};

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
  // An upload under way holds its target, and comes to the job last: the other way round each would
  // wait for the other.
  const absl::StatusOr<Rows> targets = session.Query(
      absl::StrCat("SELECT id FROM target WHERE run_id = $1 ORDER BY id", dialect.for_update),
      {run_id});
  if (!targets.ok()) return targets.status();
  for (const absl::string_view deletion : kDeletions) {
    if (absl::Status status = session.Execute(deletion, {run_id}); !status.ok()) return status;
  }
  const Row& run = found->front();
  const std::string subject = absl::StrCat("run ", run_id);
  const std::string detail = absl::StrCat("run key ", run.Text(0), ", commit ", run.Text(1),
                                          ", branch ", run.Text(2), ", sent by ", run.Text(3));
  return sql::AddAuditRow(session, by, {project, "run.delete", subject, detail}, now);
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
  return sql::ReadIn(*database_, [&](Session& session) -> absl::StatusOr<std::vector<int64_t>> {
    absl::StatusOr<Rows> rows = session.Query(
        "SELECT id FROM run WHERE project = $1 AND branch = $2 ORDER BY id", {project, branch});
    if (!rows.ok()) return rows.status();
    std::vector<int64_t> runs;
    for (const Row& row : *rows) runs.push_back(row.Number(0));
    return runs;
  });
}

}  // namespace gprofhub::store
