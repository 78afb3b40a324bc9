#include "store/open_store.h"

#include <limits>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "store/archive/segments.h"
#include "store/postgres/open_postgres.h"
#include "store/rows/kept_changes.h"
#include "store/sql/database.h"
#include "store/sql/engine.h"
#include "store/sqlite/open_sqlite.h"
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
  ASSIGN_OR_RETURN(
      const Rows rows,
      session.Query(
          "SELECT execution.id, execution.target_id FROM execution "
          "JOIN target ON target.id = execution.target_id WHERE profiles_from <> 0 "
          "AND profiles_from IN (SELECT source.id FROM execution source JOIN target AS of_source "
          "ON of_source.id = source.target_id WHERE of_source.run_id = $1) AND target.run_id <> $1 "
          "ORDER BY execution.id",
          {run_id}));
  if (rows.empty()) return 0;
  std::vector<int64_t> executions;
  std::set<int64_t> targets;
  for (const Row& row : rows) {
    executions.push_back(row.Number(0));
    targets.insert(row.Number(1));
  }
  RETURN_IF_ERROR(sql::DeleteProfiles(session, dialect, executions, /*removed=*/false).status());
  for (const int64_t execution : executions) {
    RETURN_IF_ERROR(
        session.Execute("UPDATE execution SET profiles_from = 0 WHERE id = $1", {execution}));
  }
  for (const int64_t target : targets) {
    RETURN_IF_ERROR(
        session.Execute("UPDATE job SET generation = generation + 1, queued_us = $2, "
                        "state = CASE WHEN state = 'leased' THEN 'leased' ELSE 'pending' END "
                        "WHERE target_id = $1",
                        {target, absl::ToUnixMicros(now)}));
    RETURN_IF_ERROR(
        session.Execute("UPDATE run SET revision = revision + 1, counted_revision = -1 "
                        "WHERE id IN (SELECT run_id FROM target WHERE id = $1)",
                        {target}));
  }
  return static_cast<int64_t>(executions.size());
}

absl::Status DeleteIn(Session& session, const sql::Dialect& dialect, absl::string_view project,
                      int64_t run_id, const Actor& by, absl::Time now) {
  // Uploads and workers take this lock first, too.
  ASSIGN_OR_RETURN(
      Rows found, session.Query(absl::StrCat("SELECT run_key, commit_hash, branch, sender FROM run "
                                             "WHERE id = $1 AND project = $2",
                                             dialect.for_update),
                                {run_id, project}));
  if (found.empty()) {
    return absl::NotFoundError(absl::StrCat("project \"", project, "\" has no run ", run_id));
  }
  ASSIGN_OR_RETURN(const std::vector<int64_t> targets,
                   sql::LockTargets(session, dialect, run_id, kAll));
  ASSIGN_OR_RETURN(const int64_t cached, TakeFromCachedResults(session, dialect, run_id, now));
  RETURN_IF_ERROR(sql::DeleteTargets(session, dialect, run_id, targets));
  RETURN_IF_ERROR(sql::DeleteRunRow(session, run_id));
  const Row& run = found.front();
  const std::string subject = absl::StrCat("run ", run_id);
  const std::string detail = absl::StrCat(
      "run key ", run.Text(0), ", commit ", run.Text(1), ", branch ", run.Text(2), ", sent by ",
      run.Text(3), cached == 0 ? "" : absl::StrCat(", cached results that took it: ", cached));
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
    {"chunks of files uploaded by Bazel",
     "DELETE FROM transfer_piece WHERE blob_id IN (SELECT DISTINCT transfer_piece.blob_id FROM "
     "transfer_piece JOIN transfer_blob ON transfer_blob.id = transfer_piece.blob_id WHERE "
     "transfer_blob.project = $1 LIMIT $2) RETURNING 1"},
    {"files uploaded by Bazel",
     "DELETE FROM transfer_blob WHERE id IN (SELECT id FROM transfer_blob WHERE project = $1 "
     "ORDER BY id LIMIT $2) RETURNING id"},
    {"usage of files uploaded by Bazel",
     "DELETE FROM transfer_room WHERE project IN (SELECT project FROM transfer_room WHERE "
     "project = $1 LIMIT $2) RETURNING 1"},
    {"tokens (revoked)",
     "UPDATE token SET revoked = 1 WHERE id IN (SELECT id FROM token WHERE project = $1 AND "
     "revoked = 0 ORDER BY id LIMIT $2) RETURNING id"},
    {"retention policy",
     "DELETE FROM retention WHERE project IN (SELECT project FROM retention WHERE project = $1 "
     "LIMIT $2) RETURNING 1"},
    {"main branch",
     "DELETE FROM main_branch WHERE project IN (SELECT project FROM main_branch WHERE project = $1 "
     "LIMIT $2) RETURNING 1"},
};

// How many went.
absl::StatusOr<int64_t> DeleteSome(Session& session, absl::string_view project,
                                   const ProjectRows& rows, const Actor& by, absl::Time now) {
  ASSIGN_OR_RETURN(const Rows gone, session.Query(rows.statement, {project, kRowsAtOnce}));
  const int64_t count = static_cast<int64_t>(gone.size());
  if (count == 0) return 0;
  const std::string detail = absl::StrCat(rows.name, ": ", count);
  RETURN_IF_ERROR(sql::AddAuditRow(
      session, by, {project, "project.delete", absl::StrCat("project ", project), detail}, now));
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
  RETURN_IF_ERROR(CheckKey("project", project));
  return database_->Write([&](Session& session) {
    return DeleteIn(session, database_->dialect(), project, run_id, by, now);
  });
}

absl::StatusOr<std::vector<int64_t>> Removal::RunsOfBranch(absl::string_view project,
                                                           absl::string_view branch) const {
  RETURN_IF_ERROR(CheckKey("project", project));
  RETURN_IF_ERROR(CheckKey("branch", branch));
  return sql::ReadIn(*database_, [&](Session& session) {
    return ToIds(session.Query("SELECT id FROM run WHERE project = $1 AND branch = $2 ORDER BY id",
                               {project, branch}));
  });
}

absl::StatusOr<std::vector<int64_t>> Removal::RunsOfProject(absl::string_view project) const {
  RETURN_IF_ERROR(CheckKey("project", project));
  return sql::ReadIn(*database_, [&](Session& session) {
    return ToIds(session.Query("SELECT id FROM run WHERE project = $1 ORDER BY id", {project}));
  });
}

absl::Status Removal::DeleteRestOfProject(absl::string_view project, const Actor& by,
                                          absl::Time now) const {
  RETURN_IF_ERROR(CheckKey("project", project));
  for (const ProjectRows& rows : kOfProject) {
    while (true) {
      ASSIGN_OR_RETURN(const int64_t gone, sql::WriteIn(*database_, [&](Session& session) {
                         return DeleteSome(session, project, rows, by, now);
                       }));
      if (gone < kRowsAtOnce) break;
    }
  }
  return absl::OkStatus();
}

namespace {

// A part that works on the database alone.
template <typename Part>
Part Over(const sql::Engine& engine, absl::string_view name, const OnStoreCall& on_call) {
  return Part(sql::Observed(engine, name, on_call).database);
}

// A part that needs the bytes of blobs, too.
template <typename Part>
Part OverAll(const sql::Engine& engine, absl::string_view name, const OnStoreCall& on_call) {
  const sql::Engine observed = sql::Observed(engine, name, on_call);
  return Part(observed.database, observed.blob_bytes);
}

}  // namespace

Store::Store(const sql::Engine& engine, const OnStoreCall& on_call)
    : blobs(OverAll<Blobs>(engine, "blobs", on_call)),
      ingest(OverAll<Ingest>(engine, "ingest", on_call)),
      jobs(OverAll<JobQueue>(engine, "jobs", on_call)),
      reports(Over<ReportQueue>(engine, "reports", on_call)),
      reading(Over<Reading>(engine, "reading", on_call)),
      gate(Over<GateRecords>(engine, "gate", on_call)),
      notifications(Over<Notifications>(engine, "notifications", on_call)),
      tokens(Over<Tokens>(engine, "tokens", on_call)),
      audit(Over<AuditLog>(engine, "audit", on_call)),
      removal(Over<Removal>(engine, "removal", on_call)),
      condition(engine.database),
      invocations(Over<Invocations>(engine, "invocations", on_call)) {}

bool IsShared(absl::string_view location) {
  return absl::StartsWithIgnoreCase(location, "postgresql://") ||
         absl::StartsWithIgnoreCase(location, "postgres://");
}

absl::StatusOr<std::string> DirectoryOf(absl::string_view location) {
  constexpr absl::string_view kForms =
      "use sqlite:DIRECTORY or postgresql://USER:PASSWORD@HOST:PORT/DATABASE";
  absl::string_view directory = location;
  if (absl::StartsWithIgnoreCase(location, "sqlite:")) {
    directory.remove_prefix(absl::string_view("sqlite:").size());
  } else if (const size_t end = location.find_first_of("/:=");
             end != absl::string_view::npos && location[end] != '/') {
    // The rest may contain a password.
    const std::string word = absl::CHexEscape(location.substr(0, end));
    return absl::InvalidArgumentError(
        location[end] == ':'
            ? absl::StrCat("unknown kind of store '", word, "'; ", kForms)
            : absl::StrCat("the store's location begins with '", word,
                           "=', like a libpq connection string, which is not supported; ", kForms));
  }
  if (directory.empty() || absl::StrContains(directory, absl::string_view("\0", 1))) {
    return absl::InvalidArgumentError(
        absl::StrCat("the store's location has no directory; ", kForms));
  }
  return std::string(directory);
}

namespace {

// Without its archive.
absl::StatusOr<sql::Engine> OpenOwn(absl::string_view location, OpenMode mode) {
  if (IsShared(location)) {
    postgres::PostgresOptions options;
    options.mode = mode;
    return postgres::OpenPostgres(location, options);
  }
  ASSIGN_OR_RETURN(const std::string directory, DirectoryOf(location));
  return sqlite::OpenSqlite(directory, mode);
}

}  // namespace

absl::StatusOr<sql::Engine> OpenEngine(absl::string_view location, OpenMode mode,
                                       const std::shared_ptr<ObjectStore>& archive,
                                       const OnStoreCall& on_call) {
  ASSIGN_OR_RETURN(const sql::Engine engine, OpenOwn(location, mode));
  return WithArchive(engine, Observed(archive, on_call));
}

absl::StatusOr<std::unique_ptr<sql::WakeUps>> MakeWakeUps(absl::string_view location) {
  if (IsShared(location)) return postgres::MakeWakeUps(location);
  RETURN_IF_ERROR(DirectoryOf(location).status());
  return nullptr;
}

absl::StatusOr<Store> OpenStore(absl::string_view location, OpenMode mode,
                                const std::shared_ptr<ObjectStore>& archive,
                                const OnStoreCall& on_call) {
  ASSIGN_OR_RETURN(sql::Engine engine, OpenEngine(location, mode, archive, on_call));
  return Store(engine, on_call);
}

}  // namespace gprofhub::store
