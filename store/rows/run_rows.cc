#include "store/rows/run_rows.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "store/rows/kept_changes.h"
#include "store/rows/points.h"
#include "store/rows/sealed_points.h"
#include "store/sql/due_reports.h"

namespace gprofhub::store::sql {
namespace {

// Deletes the rows of targets, each before the rows that it references. LIST is the targets.
constexpr absl::string_view kOfTargets[] = {
    "DELETE FROM job WHERE target_id IN LIST",
    ("DELETE FROM profile WHERE execution_id IN "
     "(SELECT id FROM execution WHERE target_id IN LIST)"),
    "DELETE FROM image WHERE execution_id IN (SELECT id FROM execution WHERE target_id IN LIST)",
    "DELETE FROM execution WHERE target_id IN LIST",
    "DELETE FROM target WHERE id IN LIST",
};

constexpr absl::string_view kOfRun[] = {
    "DELETE FROM report_job WHERE run_id = $1",
    "DELETE FROM gated WHERE run_id = $1",
    "DELETE FROM run_ancestors WHERE run_id = $1",
    "DELETE FROM rerun_request WHERE run_id = $1",
    "DELETE FROM run WHERE id = $1",
};

std::string WithList(absl::string_view statement, const Dialect& dialect) {
  const std::string list =
      absl::StrCat("(SELECT CAST(item ->> 0 AS bigint) FROM ", dialect.list, ")");
  return absl::StrReplaceAll(statement, {{"LIST", list}});
}

}  // namespace

absl::StatusOr<std::vector<int64_t>> LockTargets(Session& session, const Dialect& dialect,
                                                 int64_t run_id, int64_t limit) {
  const absl::StatusOr<Rows> rows =
      session.Query(absl::StrCat("SELECT id FROM target WHERE run_id = $1 ORDER BY id LIMIT $2",
                                 dialect.for_update),
                    {run_id, limit});
  if (!rows.ok()) return rows.status();
  std::vector<int64_t> targets;
  for (const Row& row : *rows) targets.push_back(row.Number(0));
  return targets;
}

absl::Status DeleteTargets(Session& session, const Dialect& dialect, int64_t run_id,
                           const std::vector<int64_t>& target_ids) {
  const std::string list = JsonColumn(target_ids);
  const absl::StatusOr<std::vector<int64_t>> lines = LinesOf(session, dialect, list);
  if (!lines.ok()) return lines.status();
  absl::Status status = DropChangesOf(session, run_id);
  if (!status.ok()) return status;
  status = ChangeRun(session, run_id);
  if (!status.ok()) return status;
  status = DeleteOpenPoints(session, dialect, *lines, run_id);
  if (!status.ok()) return status;
  for (const absl::string_view statement : kOfTargets) {
    status = session.Execute(WithList(statement, dialect), {list});
    if (!status.ok()) return status;
  }
  return DeleteEmptySeals(session, dialect, *lines, run_id);
}

absl::Status DeleteRunRow(Session& session, int64_t run_id) {
  for (const absl::string_view statement : kOfRun) {
    if (absl::Status status = session.Execute(statement, {run_id}); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> DeleteProfiles(Session& session, const Dialect& dialect,
                                       const std::vector<int64_t>& execution_ids, bool removed) {
  const std::string list = JsonColumn(execution_ids);
  absl::StatusOr<Rows> count = session.Query(
      WithList("SELECT count(*) FROM profile WHERE execution_id IN LIST", dialect), {list});
  if (!count.ok()) return count.status();
  if (removed) {
    absl::Status status = session.Execute(
        WithList("UPDATE execution SET profiles_removed = profiles_removed + (SELECT count(*) "
                 "FROM profile WHERE profile.execution_id = execution.id) WHERE id IN LIST",
                 dialect),
        {list});
    if (!status.ok()) return status;
  }
  for (const absl::string_view statement : {"DELETE FROM profile WHERE execution_id IN LIST",
                                            "DELETE FROM image WHERE execution_id IN LIST"}) {
    absl::Status status = session.Execute(WithList(statement, dialect), {list});
    if (!status.ok()) return status;
  }
  return count->front().Number(0);
}

}  // namespace gprofhub::store::sql
