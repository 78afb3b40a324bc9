#include "store/upkeep.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "store/copy_rows.h"
#include "store/open_store.h"
#include "store/sql/database.h"
#include "store/sql/engine.h"
#include "store/sql/follow_up_rows.h"
#include "store/sqlite/blob_folder.h"
#include "store/sqlite/connection.h"
#include "store/sqlite/open_sqlite.h"
#include "store/validation.h"

namespace gprofhub::store {

namespace {

using sql::Row;
using sql::Rows;
using sql::Session;

constexpr uint32_t kRevivedAtOnce = 200;

// The statements of one kind. The columns of a dead letter are those of DeadLetter, in its order.
struct KindOf {
  absl::string_view name;
  absl::string_view action;  // in the audit log
  // $1: the project, or '' for all; $2: ids above this; $3: how many.
  absl::string_view list;
  // $1: the id; $2: now. Gives a row if there was something to revive.
  absl::string_view revive;
};

constexpr KindOf kJob = {
    "failed analysis job", "job.requeue",
    "SELECT job.id, run.project, run.id, target.label, job.attempts, job.error, job.queued_us, 0 "
    "FROM job JOIN target ON target.id = job.target_id JOIN run ON run.id = target.run_id "
    "WHERE job.state = 'failed' AND (run.project = $1 OR $1 = '') AND job.id > $2 "
    "ORDER BY job.id LIMIT $3",
    "UPDATE job SET state = 'pending', attempts = 0, error = '', queued_us = $2 "
    "WHERE id = $1 AND state = 'failed' AND NOT EXISTS (SELECT 1 FROM execution "
    "WHERE execution.target_id = job.target_id AND profiles_removed > 0) "
    "RETURNING (SELECT project FROM run JOIN target ON target.run_id = run.id "
    "WHERE target.id = target_id)"};

// Reports that were given up, lack parts (kIncompleteNote), or are disabled (kDisabledNote), and
// those that wait: their other columns are those of WaitingLetter. Of a branch's reports that no
// worker has taken, the newest covers the others. A report under way is made once more: it may be
// half posted.
constexpr KindOf kReport = {
    "report", "report.repost",
    "SELECT run.id, run.project, run.id, CASE WHEN run.pull_request = '' "
    "THEN 'branch ' || run.branch ELSE 'pull request ' || run.pull_request END, "
    "COALESCE(report_job.attempts, 0), COALESCE(report_job.note, ''), "
    "COALESCE(report_job.queued_us, run.received_us), "
    "CASE report_job.state WHEN 'pending' THEN report_job.due_us "
    "WHEN 'leased' THEN report_job.lease_until_us ELSE 0 END, "
    "COALESCE(report_job.state, ''), report_job.worker, "
    "CASE WHEN report_job.generation = report_job.claimed_generation THEN 1 ELSE 0 END, "
    "(SELECT COUNT(*) FROM target JOIN job ON job.target_id = target.id "
    "WHERE target.run_id = run.id AND job.state IN ('pending', 'leased')), "
    "CASE WHEN run.finished = 1 OR EXISTS (SELECT 1 FROM invocation WHERE invocation.run_id = "
    "run.id AND invocation.run_id <> 0 AND invocation.state = 'ended') THEN 1 ELSE 0 END, "
    "CASE WHEN EXISTS (SELECT 1 FROM report_job AS taken WHERE taken.project = run.project "
    "AND taken.of_branch = report_job.of_branch AND taken.claimed_us > 0) THEN 1 ELSE 0 END, "
    "COALESCE((SELECT MAX(busy.run_id) FROM report_job AS busy WHERE busy.state = 'leased' "
    "AND busy.of_branch = report_job.of_branch AND busy.project = run.project "
    "AND busy.run_id <> run.id), 0) "
    "FROM run LEFT JOIN report_job ON report_job.run_id = run.id WHERE (run.id IN ("
    "SELECT run_id FROM report_job WHERE state IN ('failed', 'leased') "
    "OR note LIKE 'incomplete: %' OR note LIKE 'disabled: %' "
    "OR (state = 'pending' AND (of_branch = 0 OR claimed_us > 0)) UNION ALL "
    "SELECT MAX(branch_run.id) FROM report_job AS untaken JOIN run AS branch_run "
    "ON branch_run.id = untaken.run_id WHERE untaken.state = 'pending' AND untaken.of_branch = 1 "
    "AND untaken.claimed_us = 0 "
    "GROUP BY branch_run.project, branch_run.branch, branch_run.configuration) "
    "OR ((run.pull_request <> '' OR run.from_fork = 0) AND run.profile_kind = 'counted' "
    "AND run.id IN (SELECT target.run_id FROM job JOIN target ON target.id = job.target_id "
    "WHERE job.state IN ('pending', 'leased') UNION ALL "
    "SELECT run_id FROM invocation WHERE state = 'running' AND run_id <> 0))) "
    "AND (run.project = $1 OR $1 = '') AND run.id > $2 ORDER BY run.id LIMIT $3",
    "UPDATE report_job SET generation = generation + 1, queued_us = $2, due_us = $2, "
    "state = CASE WHEN state = 'leased' THEN 'leased' ELSE 'pending' END WHERE run_id = $1 "
    "RETURNING (SELECT project FROM run WHERE run.id = run_id)"};

constexpr KindOf kNotification = {
    "failed notification", "notification.repost",
    "SELECT id, project, 0, channel, attempts, note, changed_us, 0 FROM notification "
    "WHERE state = 'failed' AND (project = $1 OR $1 = '') AND id > $2 ORDER BY id LIMIT $3",
    "UPDATE notification SET state = 'pending', generation = generation + 1, changed_us = $2, "
    "due_us = $2 WHERE id = $1 AND state = 'failed' RETURNING project"};

const KindOf& StatementsOf(LetterKind kind) {
  switch (kind) {
    case LetterKind::kJob:
      return kJob;
    case LetterKind::kReport:
      return kReport;
    case LetterKind::kNotification:
      return kNotification;
  }
  return kJob;
}

// Says why a report waits. `row` has the columns of kReport's list.
void ExplainWait(const Row& row, DeadLetter& letter) {
  const absl::string_view state = row.View(8);
  const int64_t analyses = row.Number(11);
  const bool complete = row.Number(12) != 0;
  const int64_t other_run = row.Number(14);
  if (state == "failed") return;
  letter.waits = true;
  if (state == "leased") {
    letter.reason = absl::StrCat("worker '", row.View(9),
                                 "' makes it; another worker takes over when its lease expires");
    return;
  }
  if (state == "pending" && row.Number(10) != 0) {
    if (letter.reason.empty()) letter.reason = "is retried";
  } else if (analyses > 0) {
    letter.reason = absl::StrCat("waits for the analysis of ", analyses,
                                 analyses == 1 ? " target" : " targets");
    letter.due = absl::InfiniteFuture();
  } else if (state != "pending") {
    // Its analyses are done: the build's events continue, or its note tells.
    letter.waits = letter.reason.empty();
    if (letter.waits) letter.reason = "waits for the end of the build";
  } else if (row.Number(13) == 0) {
    letter.reason =
        "no server makes such reports of the project yet: start one with the role reporter, and "
        "--forge for pull requests or --notify for branches";
  } else {
    letter.reason = complete ? "waits for a worker" : "waits for more test results of the run";
  }
  if (state == "pending" && other_run != 0) {
    absl::StrAppend(&letter.reason, "; the report on run ", other_run,
                    " of the project is under way, and they are made one at a time");
  }
}

absl::StatusOr<std::vector<DeadLetter>> ListIn(Session& session, const KindOf& kind,
                                               absl::string_view project, int64_t after,
                                               uint32_t limit) {
  ASSIGN_OR_RETURN(const Rows rows, session.Query(kind.list, {project, after, int64_t{limit}}));
  std::vector<DeadLetter> letters;
  for (const Row& row : rows) {
    letters.push_back(
        {row.Number(0), row.Text(1), row.Number(2), row.Text(3),
         static_cast<uint32_t>(row.Number(4)), row.Text(5), absl::FromUnixMicros(row.Number(6)),
         row.Number(7) == 0 ? absl::InfiniteFuture() : absl::FromUnixMicros(row.Number(7)), false});
    if (&kind == &kReport) ExplainWait(row, letters.back());
  }
  return letters;
}

// Prepares a change of the targets of the job's run. No effect, if the job has not failed.
absl::Status ChangeRunOfJob(Session& session, int64_t job_id) {
  ASSIGN_OR_RETURN(
      const Rows rows,
      session.Query("SELECT target.run_id FROM job JOIN target ON target.id = job.target_id "
                    "WHERE job.id = $1 AND job.state = 'failed'",
                    {job_id}));
  return rows.empty() ? absl::OkStatus() : sql::ChangeRun(session, rows.front().Number(0));
}

// The project of the revived row, which is of `project` or, if that is empty, of any; "" if there
// was no row to revive.
absl::StatusOr<std::string> ReviveOne(Session& session, const KindOf& kind, int64_t id,
                                      absl::string_view project, const Actor& by, absl::Time now) {
  if (&kind == &kJob) {
    RETURN_IF_ERROR(ChangeRunOfJob(session, id));
  }
  ASSIGN_OR_RETURN(const Rows rows, session.Query(kind.revive, {id, absl::ToUnixMicros(now)}));
  if (rows.empty()) return std::string();
  std::string found = rows.front().Text(0);
  if (!project.empty() && found != project) {
    return absl::NotFoundError(
        absl::StrCat(kind.name, " ", id, " is not of project \"", project, "\""));
  }
  const std::string subject = absl::StrCat(kind.name, " ", id);
  RETURN_IF_ERROR(sql::AddAuditRow(session, by, {found, kind.action, subject, ""}, now));
  return found;
}

absl::Status NothingToRevive(Session& session, LetterKind kind, int64_t id) {
  if (kind == LetterKind::kJob) {
    ASSIGN_OR_RETURN(const Rows rows,
                     session.Query("SELECT 1 FROM job WHERE id = $1 AND state = 'failed'", {id}));
    if (!rows.empty()) {
      return absl::FailedPreconditionError(absl::StrCat(
          "job ", id, ": retention removed its profiles; delete its run, or rerun its tests"));
    }
  }
  return absl::NotFoundError(absl::StrCat("there is no ", StatementsOf(kind).name, " ", id));
}

}  // namespace

DeadLetters::DeadLetters(std::shared_ptr<sql::Database> database)
    : database_(std::move(database)) {}

absl::StatusOr<std::vector<DeadLetter>> DeadLetters::List(LetterKind kind,
                                                          const LetterFilter& filter, int64_t after,
                                                          uint32_t limit) const {
  RETURN_IF_ERROR(CheckText("project", filter.project));
  return sql::ReadIn(*database_, [&](Session& session) {
    return ListIn(session, StatementsOf(kind), filter.project, after, limit);
  });
}

absl::StatusOr<uint64_t> DeadLetters::Revive(LetterKind kind, const LetterFilter& filter,
                                             const Actor& by, absl::Time now) const {
  RETURN_IF_ERROR(CheckText("project", filter.project));
  const KindOf& statements = StatementsOf(kind);
  uint64_t revived = 0;
  for (const int64_t id : filter.ids) {
    RETURN_IF_ERROR(database_->Write([&](Session& session) {
      ASSIGN_OR_RETURN(const std::string project,
                       ReviveOne(session, statements, id, filter.project, by, now));
      return project.empty() ? NothingToRevive(session, kind, id) : absl::OkStatus();
    }));
    ++revived;
  }
  if (!filter.ids.empty()) return revived;

  // A revived row leaves the list, so the step's last id is where the next step begins.
  for (int64_t after = 0;;) {
    struct Step {
      uint64_t revived = 0;
      int64_t last = 0;
      bool more = false;
    };
    const auto step = sql::WriteIn(*database_, [&](Session& session) -> absl::StatusOr<Step> {
      ASSIGN_OR_RETURN(const std::vector<DeadLetter> letters,
                       ListIn(session, statements, filter.project, after, kRevivedAtOnce));
      Step made;
      for (const DeadLetter& letter : letters) {
        made.last = letter.id;
        if (letter.waits) continue;  // the server makes it without this
        ASSIGN_OR_RETURN(const std::string project,
                         ReviveOne(session, statements, letter.id, letter.project, by, now));
        if (!project.empty()) ++made.revived;
      }
      made.more = letters.size() == kRevivedAtOnce;
      return made;
    });
    if (!step.ok()) return step.status();
    revived += step->revived;
    if (!step->more) return revived;
    after = step->last;
  }
}

namespace {

using sql::Engine;
using sql::Session;
namespace fs = std::filesystem;

constexpr size_t kNamesAtOnce = 500;

std::string WithoutSlash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

absl::StatusOr<Engine> OpenCopyOfBackup(const std::string& backup, const std::string& folder) {
  RETURN_IF_ERROR(
      sqlite::CopyDatabase(backup, sqlite::DatabaseFile(folder), [] { return absl::OkStatus(); }));
  absl::StatusOr<Engine> copy = sqlite::OpenSqlite(folder, OpenMode::kExisting);
  if (absl::IsNotFound(copy.status())) {
    return absl::DataLossError(absl::StrCat(backup, ": not a backup of gprofhub"));
  }
  if (!copy.ok()) return base::WithContext(copy.status(), backup);
  return copy;
}

// A whole blob of the backup, whose bytes must exist and match the hash; nullopt if it is a delta
// or archived: a delta is checked with its base, after all blobs are restored.
absl::StatusOr<std::optional<std::string>> ReadOfBackup(const std::string& backup,
                                                        const sql::Dialect& dialect, Session& copy,
                                                        const BlobName& name) {
  ASSIGN_OR_RETURN(CopiedBlob copied, FindCopied(copy, dialect, name));
  if (!copied.is_whole) return std::nullopt;
  if (!copied.bytes.has_value()) {
    return absl::DataLossError(absl::StrCat(backup, ": blob ", name, " is missing"));
  }
  RETURN_IF_ERROR(CheckBytes(name, *copied.bytes, backup));
  return std::move(copied.bytes);
}

absl::Status RecordRestore(Session& session, const std::string& backup,
                           const BackupOptions& options, BackupResult& result) {
  ASSIGN_OR_RETURN(const uint64_t archived, CountArchived(session));
  result.archived = archived;
  ASSIGN_OR_RETURN(const sql::Rows segments, session.Query("SELECT 1 FROM segment LIMIT 1", {}));
  if (!segments.empty()) {
    RETURN_IF_ERROR(sql::SetProperty(session, sql::kArchiveTakeoverPending, 1));
  }
  return sql::AddAuditRow(session, options.by, {"", "store.restore", backup, ""}, options.now());
}

// In a backup all bytes are rows. In an embedded store those of large blobs are files.
absl::Status PutLargeIntoFiles(const std::string& backup, const std::string& folder,
                               sql::Database& copy, const BackupOptions& options,
                               BackupResult& result) {
  std::vector<BlobName> large;
  const auto remove_rows = [&] {
    absl::Status status = copy.Write([&](Session& session) {
      for (const BlobName& name : large) {
        RETURN_IF_ERROR(sqlite::RemoveSmallBlob(session, name));
      }
      return absl::OkStatus();
    });
    large.clear();
    return status;
  };
  const auto blobs = ForBlobs(copy, options, [&](const BlobName& name) {
    Blob blob = {name, ""};
    ASSIGN_OR_RETURN(std::optional<std::string> bytes, sql::ReadIn(copy, [&](Session& rows) {
                       return ReadOfBackup(backup, copy.dialect(), rows, name);
                     }));
    if (!bytes.has_value()) return absl::OkStatus();
    blob.bytes = *std::move(bytes);
    result.blob_bytes += blob.bytes.size();
    if (sqlite::IsSmall(blob)) return absl::OkStatus();
    RETURN_IF_ERROR(sqlite::WriteBlobFile(folder, blob));
    large.push_back(name);
    return large.size() < kNamesAtOnce ? absl::OkStatus() : remove_rows();
  });
  if (!blobs.ok()) return blobs.status();
  result.blobs = *blobs;
  return remove_rows();
}

absl::Status RestoreEmbedded(const std::string& backup, const std::string& directory,
                             const BackupOptions& options, BackupResult& result) {
  const std::string place = WithoutSlash(directory);
  std::error_code error;
  if (fs::exists(place, error) && !fs::is_empty(place, error)) {
    return absl::FailedPreconditionError(
        absl::StrCat(place, ": is not empty; stop its server and move the files away first"));
  }
  // Next to the first missing folder of its path, which exists only after success.
  fs::path first_new = fs::absolute(place);
  while (!fs::exists(first_new.parent_path(), error) && first_new.has_relative_path()) {
    first_new = first_new.parent_path();
  }
  ASSIGN_OR_RETURN(PartialFolder partial, PartialFolder::Make(first_new.string()));
  {
    ASSIGN_OR_RETURN(const Engine copy, OpenCopyOfBackup(backup, partial.path()));
    RETURN_IF_ERROR(PutLargeIntoFiles(backup, partial.path(), *copy.database, options, result));
    RETURN_IF_ERROR(InspectCopy(copy, options));
    RETURN_IF_ERROR(copy.database->Write(
        [&](Session& session) { return RecordRestore(session, backup, options, result); }));
  }
  // The removed rows of large blobs have left free pages.
  RETURN_IF_ERROR(sqlite::Compact(partial.path()));
  fs::create_directories(fs::absolute(place).parent_path(), error);
  return partial.MoveTo(place);
}

absl::Status RestoreShared(const std::string& backup, const std::string& location,
                           const BackupOptions& options, BackupResult& result) {
  std::error_code error;
  ASSIGN_OR_RETURN(
      const PartialFolder rows,
      PartialFolder::Make((fs::temp_directory_path(error) / "gprofhub-restore").string()));
  ASSIGN_OR_RETURN(const Engine from, OpenCopyOfBackup(backup, rows.path()));
  ASSIGN_OR_RETURN(const Engine to, OpenEngine(location, OpenMode::kCreate));
  RETURN_IF_ERROR(from.database->Read([&](Session& source) {
    return to.database->Write([&](Session& target) {
      result = BackupResult();
      RETURN_IF_ERROR(CheckIsEmpty(source, target));
      uint64_t pages = 0;
      RowCopy copy;
      copy.from = copy.sqlite = &source;
      copy.to = &target;
      copy.to_postgres = true;
      copy.bytes_of = [&](const BlobName& name) {
        absl::StatusOr<std::optional<std::string>> bytes =
            ReadOfBackup(backup, from.database->dialect(), source, name);
        if (bytes.ok()) {
          ++result.blobs;
          if (bytes->has_value()) result.blob_bytes += (*bytes)->size();
        }
        return bytes;
      };
      copy.pulse = [&](absl::string_view table) {
        options.on_progress(absl::StrCat("copying table ", table), ++pages, 0);
        return absl::OkStatus();
      };
      RETURN_IF_ERROR(CopyRows(copy).status());
      return RecordRestore(target, backup, options, result);
    });
  }));
  return InspectCopy(to, options);
}

}  // namespace

absl::StatusOr<BackupResult> RestoreBackup(const std::string& backup, const std::string& location,
                                           const BackupOptions& options) {
  std::error_code error;
  if (!fs::is_regular_file(backup, error)) {
    return absl::NotFoundError(absl::StrCat(backup, fs::is_directory(backup, error)
                                                        ? ": is a directory, but a backup is a file"
                                                        : ": no such file"));
  }
  BackupResult result;
  result.begun = options.now();
  absl::Status status;
  if (IsShared(location)) {
    status = RestoreShared(backup, location, options, result);
  } else {
    ASSIGN_OR_RETURN(const std::string directory, DirectoryOf(location));
    status = RestoreEmbedded(backup, directory, options, result);
  }
  if (!status.ok()) return status;
  return result;
}

Turns::Turns(std::shared_ptr<sql::Database> database) : database_(std::move(database)) {}

absl::StatusOr<bool> Turns::TakeHousekeeping(absl::Time now, absl::Duration every) const {
  return sql::WriteIn(*database_, [&](sql::Session& session) -> absl::StatusOr<bool> {
    // One statement, so that of two processes one waits for the other, and then finds it done.
    ASSIGN_OR_RETURN(
        const sql::Rows taken,
        session.Query(
            "INSERT INTO property (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE "
            "SET value = excluded.value WHERE property.value <= $3 OR property.value > $4 "
            "RETURNING 1",
            {sql::kHousekeeping, absl::ToUnixMicros(now), absl::ToUnixMicros(now - every),
             absl::ToUnixMicros(now + kClockSkew)}));
    return !taken.empty();
  });
}

Upkeep::Upkeep(const sql::Engine& engine)
    : dead_letters(engine.database),
      garbage(engine.database, engine.blob_bytes),
      delta_encoding(engine.database, engine.blob_bytes),
      archiving(engine.database, engine.blob_bytes, engine.archive),
      compaction(engine.database, engine.archive),
      inspection(engine.database, engine.blob_bytes, engine.archive),
      retention(engine.database),
      backups(engine.database),
      turns(engine.database),
      run_counts(engine.database),
      summaries(engine.database) {}

absl::StatusOr<WholeStore> OpenWholeStore(absl::string_view location, OpenMode mode,
                                          const std::shared_ptr<ObjectStore>& archive,
                                          const OnStoreCall& on_call) {
  ASSIGN_OR_RETURN(const sql::Engine engine, OpenEngine(location, mode, archive, on_call));
  return WholeStore{Store(engine, on_call),
                    TransferBlobs(sql::Observed(engine, "transfers", on_call).database),
                    Upkeep(engine)};
}

}  // namespace gprofhub::store
