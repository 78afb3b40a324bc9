// An upload takes two round trips to PostgreSQL: a lookup, which also adds the rows that decide
// races; then, after all checks, the rest and the commit. No bytes are sent or written before.
//
// Every "add" below inserts a row unless it is there, and then looks for it. Another transaction
// may insert the same row at the same time. The unique constraint makes it wait for the end of the
// first one, and then it finds the row. READ COMMITTED is enough for this.
#include "store/ingest.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "store/incoming/execution_blobs.h"
#include "store/incoming/execution_rows.h"
#include "store/incoming/run_rows.h"
#include "store/sql/blob_bytes.h"
#include "store/sql/cached_profiles.h"
#include "store/sql/database.h"
#include "store/sql/due_reports.h"
#include "store/sql/transaction.h"
#include "store/validation.h"

namespace gprofhub::store {
namespace {

using sql::Dialect;
using sql::ExecutionBlobs;
using sql::Row;
using sql::Rows;
using sql::Session;

// Results of RecordExecution's lookups before bytes are staged.
struct Preparation {
  std::optional<RecordedExecution> present;
  std::vector<const Blob*> to_stage;  // of its blobs
};

// Errors are those of RecordExecution.
absl::StatusOr<Preparation> Prepare(Session& session, const Dialect& dialect,
                                    const NewExecution& execution, const ExecutionBlobs& blobs) {
  const absl::StatusOr<std::vector<Rows>> answers =
      session.QueryAll({sql::FindRun(execution.run, /*lock=*/""), sql::FindProfiles(execution),
                        blobs.Find(dialect)});
  if (!answers.ok()) return answers.status();
  const absl::StatusOr<std::optional<sql::FoundRun>> run =
      sql::CheckRun((*answers)[0], execution.run);
  if (!run.ok()) return run.status();
  const absl::StatusOr<std::optional<uint32_t>> same =
      sql::CheckSameProfiles((*answers)[1], execution);
  if (!same.ok()) return same.status();
  if (run->has_value() && same->has_value()) {
    return Preparation{RecordedExecution{(*run)->id, /*already_present=*/true, **same}, {}};
  }
  absl::StatusOr<ExecutionBlobs::Due> due = blobs.ToDo((*answers)[2]);
  if (!due.ok()) return due.status();
  return Preparation{std::nullopt, std::move(due->to_add)};
}

// Adds the rows and the job of an execution, or finds them. Errors are those of RecordExecution.
// `queued` is by the database's clock.
absl::StatusOr<RecordedExecution> AddExecution(Session& session, const Dialect& dialect,
                                               const NewExecution& execution,
                                               const ExecutionBlobs& blobs, absl::Time now,
                                               absl::Time queued) {
  const absl::StatusOr<std::vector<Rows>> answers = session.QueryAll(
      {sql::AddRunUnlessThere(execution, now), sql::FindRun(execution.run, dialect.for_key_share),
       sql::AddTargetUnlessThere(execution), sql::AddExecutionUnlessThere(execution),
       sql::FindProfiles(execution), blobs.Find(dialect)});
  if (!answers.ok()) return answers.status();
  const absl::StatusOr<std::optional<sql::FoundRun>> run =
      sql::CheckRun((*answers)[1], execution.run);
  if (!run.ok()) return run.status();
  // It was deleted while this waited for its lock. Start again.
  if (!run->has_value()) return absl::AbortedError("a run that was there has gone");
  const absl::StatusOr<std::optional<sql::AddedExecution>> added =
      sql::CheckAdded((*answers)[3], execution);
  if (!added.ok()) return added.status();
  if (!added->has_value()) {
    const absl::StatusOr<std::optional<uint32_t>> same =
        sql::CheckSameProfiles((*answers)[4], execution);
    if (!same.ok()) return same.status();
    if (!same->has_value()) return absl::InternalError("an execution that was there has gone");
    return RecordedExecution{(*run)->id, /*already_present=*/true, **same};
  }
  const absl::StatusOr<ExecutionBlobs::Due> due = blobs.ToDo((*answers)[5]);
  if (!due.ok()) return due.status();

  // The run before the job: all take their locks in one order.
  absl::Status status =
      sql::JoinRun(session, **run, /*is_new=*/!(*answers)[0].empty(), execution, now);
  if (status.ok()) status = blobs.Send(session, dialect, *due);
  if (status.ok()) {
    status = sql::AddImagesAndProfiles(session, dialect, (*added)->id, execution);
  }
  if (!status.ok()) return status;
  auto profiles = static_cast<uint32_t>(execution.profiles.size());
  if (sql::NeedsProfiles(execution)) {
    const absl::StatusOr<uint32_t> found =
        sql::FindCachedProfiles(session, (*added)->id, execution);
    if (!found.ok()) return found.status();
    profiles = *found;
  }
  status = sql::AddJob(session, (*added)->target_id, execution, queued);
  if (!status.ok()) return status;
  return RecordedExecution{(*run)->id, /*already_present=*/false, profiles};
}

bool Stages(const sql::BlobBytes& bytes, const NewExecution& execution) {
  return std::any_of(execution.blobs.begin(), execution.blobs.end(),
                     [&bytes](const Blob& blob) { return bytes.Stages(blob); });
}

absl::StatusOr<RecordedExecution> AddIn(sql::Database& database, const NewExecution& execution,
                                        const ExecutionBlobs& blobs, absl::Time now) {
  const absl::Time queued = now + database.ClockSkew();
  return sql::WriteIn(database, [&](Session& session) {
    return AddExecution(session, database.dialect(), execution, blobs, now, queued);
  });
}

// All checks are made before any byte is staged. The transaction then repeats them.
absl::StatusOr<RecordedExecution> StageAndAdd(sql::Database& database, sql::BlobBytes& bytes,
                                              const NewExecution& execution,
                                              const ExecutionBlobs& blobs, absl::Time now) {
  const absl::StatusOr<Preparation> preparation = sql::ReadIn(database, [&](Session& session) {
    return Prepare(session, database.dialect(), execution, blobs);
  });
  if (!preparation.ok()) return preparation.status();
  if (preparation->present.has_value()) return *preparation->present;

  const std::vector<const Blob*>& to_stage = preparation->to_stage;
  if (absl::Status status = bytes.Stage(to_stage); !status.ok()) return status;
  absl::StatusOr<RecordedExecution> recorded = AddIn(database, execution, blobs, now);
  if (!recorded.ok() || recorded->already_present) {
    // Another upload was first, or the disk is full. Unreferenced blobs are removed.
    std::vector<BlobName> staged;
    for (const Blob* blob : to_stage) staged.push_back(blob->name);
    (void)bytes.RemoveUnnamed(staged, absl::InfiniteFuture());  // else garbage collection does
  }
  return recorded;
}

}  // namespace

Ingest::Ingest(std::shared_ptr<sql::Database> database, std::shared_ptr<sql::BlobBytes> bytes)
    : database_(std::move(database)), bytes_(std::move(bytes)) {}

absl::StatusOr<RecordedExecution> Ingest::RecordExecution(const NewExecution& execution,
                                                          absl::Time now) const {
  if (absl::Status status = CheckNewExecution(execution); !status.ok()) return status;
  const ExecutionBlobs blobs(execution);
  return Stages(*bytes_, execution) ? StageAndAdd(*database_, *bytes_, execution, blobs, now)
                                    : AddIn(*database_, execution, blobs, now);
}

absl::Status Ingest::FinishRun(absl::string_view project, int64_t run_id, absl::Time now) const {
  if (absl::Status status = CheckKey("project", project); !status.ok()) return status;
  now += database_->ClockSkew();
  return database_->Write(
      [&](Session& session) { return sql::FinishRun(session, project, run_id, now); });
}

absl::StatusOr<uint64_t> Ingest::SentBytes(absl::string_view project) const {
  if (absl::Status status = CheckKey("project", project); !status.ok()) return status;
  return sql::ReadIn(*database_, [&](Session& session) -> absl::StatusOr<uint64_t> {
    const absl::StatusOr<Rows> rows = session.Query(
        "SELECT CAST(COALESCE(SUM(blob.size), 0) AS bigint) FROM blob_right "
        "JOIN blob ON blob.name = blob_right.name WHERE blob_right.project = $1",
        {project});
    if (!rows.ok()) return rows.status();
    return static_cast<uint64_t>(rows->front().Number(0));
  });
}

}  // namespace gprofhub::store
