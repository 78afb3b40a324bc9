// Every "add" below inserts a row unless it is there, and then looks for it. Another
// transaction may insert the same row at the same time. The unique constraint makes it wait
// for the end of the first one, and then it finds the row. READ COMMITTED is enough for this.
#include "store/ingest.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "store/incoming/execution_blobs.h"
#include "store/incoming/run_rows.h"
#include "store/sql/blob_bytes.h"
#include "store/sql/cached_profiles.h"
#include "store/sql/database.h"
#include "store/sql/due_reports.h"
#include "store/sql/fair_turns.h"
#include "store/sql/transaction.h"
#include "store/validation.h"

namespace gprofhub::store {
namespace {

using sql::Dialect;
using sql::JsonTable;
using sql::Row;
using sql::Rows;
using sql::Session;

absl::StatusOr<int64_t> AddTarget(Session& session, int64_t run_id, absl::string_view label) {
  constexpr absl::string_view kFind = "SELECT id FROM target WHERE run_id = $1 AND label = $2";
  absl::StatusOr<Rows> rows = session.Query(kFind, {run_id, label});
  if (!rows.ok()) return rows.status();
  if (rows->empty()) {
    rows = session.Query(
        "INSERT INTO target (run_id, label) VALUES ($1, $2) "
        "ON CONFLICT (run_id, label) DO NOTHING RETURNING id",
        {run_id, label});
    if (!rows.ok()) return rows.status();
  }
  if (rows->empty()) {
    rows = session.Query(kFind, {run_id, label});
    if (!rows.ok()) return rows.status();
  }
  if (rows->empty()) return absl::InternalError("a target that was there has gone");
  return rows->front().Number(0);
}

using ProfileKey = std::tuple<std::string, std::string, BlobName>;

// A result out of the cache whose profile its uploader does not have.
bool NeedsProfiles(const NewExecution& execution) {
  return execution.execution.cached && execution.profiles.empty() &&
         execution.run.profile_kind == ProfileKind::kCounted;
}

// How many profiles the stored execution has, if it has exactly these. Where it needed
// profiles, it has what was found.
absl::StatusOr<uint32_t> CheckSameProfiles(Session& session, int64_t execution_id,
                                           const NewExecution& execution) {
  const absl::StatusOr<Rows> removed =
      session.Query("SELECT profiles_removed FROM execution WHERE id = $1", {execution_id});
  if (!removed.ok()) return removed.status();
  if (!removed->empty() && removed->front().Number(0) > 0) {
    return static_cast<uint32_t>(removed->front().Number(0));  // nobody knows any more
  }
  absl::StatusOr<Rows> rows = session.Query(
      "SELECT process, build_id, gmon FROM profile WHERE execution_id = $1", {execution_id});
  if (!rows.ok()) return rows.status();
  std::set<ProfileKey> stored;
  for (const Row& row : *rows) stored.emplace(row.Text(0), row.Text(1), row.Text(2));
  std::set<ProfileKey> given;
  for (const ProfileRecord& profile : execution.profiles) {
    given.emplace(profile.process, profile.build_id, profile.data);
  }
  if (stored == given || NeedsProfiles(execution)) return static_cast<uint32_t>(stored.size());
  const ExecutionRecord& key = execution.execution;
  return absl::AlreadyExistsError(absl::StrCat(
      "execution of ", key.target, " (run number ", key.run_number, ", shard ", key.shard,
      ", attempt ", key.attempt, ") in run '", execution.run.run_key, "' is there with other ",
      "profiles: ", stored.size(), " are stored, ", given.size(), " were given"));
}

absl::Status AddImagesAndProfiles(Session& session, const Dialect& dialect, int64_t execution_id,
                                  const NewExecution& execution) {
  std::vector<std::vector<std::string>> images;
  for (const ImageRecord& image : execution.images) {
    images.push_back({image.build_id, image.bundle});
  }
  absl::Status status =
      session.Execute(absl::StrCat("INSERT INTO image (execution_id, build_id, bundle) "
                                   "SELECT CAST($2 AS bigint), item ->> 0, item ->> 1 FROM ",
                                   dialect.list),
                      {JsonTable(images), execution_id});
  if (!status.ok()) return status;
  std::vector<std::vector<std::string>> profiles;
  for (const ProfileRecord& profile : execution.profiles) {
    profiles.push_back({profile.process, profile.build_id, profile.data});
  }
  return session.Execute(
      absl::StrCat("INSERT INTO profile (execution_id, process, build_id, gmon) "
                   "SELECT CAST($2 AS bigint), item ->> 0, item ->> 1, item ->> 2 FROM ",
                   dialect.list),
      {JsonTable(profiles), execution_id});
}

// Adds a job, or one more generation to the target's job. A leased job stays leased: when its
// worker ends it, the worker sees the newer generation.
absl::Status AddJob(Session& session, int64_t target_id, absl::string_view request,
                    absl::Time now) {
  return session.Execute(
      "INSERT INTO job (target_id, state, queued_us, arrived_us, generation, request) "
      "VALUES ($1, 'pending', $2, $2, 1, $3) "
      "ON CONFLICT (target_id) DO UPDATE SET generation = job.generation + 1, "
      "arrived_us = excluded.arrived_us, request = excluded.request, "
      "queued_us = CASE WHEN job.state IN ('done', 'failed') THEN excluded.queued_us "
      "ELSE job.queued_us END, "
      "state = CASE WHEN job.state = 'leased' THEN 'leased' ELSE 'pending' END",
      {target_id, absl::ToUnixMicros(now), request});
}

// Refuses an addition to what was measured so long ago that its profiles are gone: the sum would
// lack them.
absl::Status CheckIsWhole(Session& session, int64_t target_id, absl::string_view label) {
  const absl::StatusOr<Rows> removed = session.Query(
      "SELECT 1 FROM execution WHERE target_id = $1 AND profiles_removed > 0 LIMIT 1", {target_id});
  if (!removed.ok()) return removed.status();
  if (removed->empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(label,
                   ": the profiles of this run were removed because they were old, so "
                   "nothing can be added to their sum: give the run a key of its own"));
}

// The execution, if the database has it; else nullopt. FAILED_PRECONDITION if the run has
// another commit, configuration or kind of profiles. PERMISSION_DENIED if it has another trust.
// ALREADY_EXISTS if the execution has other profiles.
absl::StatusOr<std::optional<RecordedExecution>> FindExecution(Session& session,
                                                               const NewExecution& execution) {
  absl::StatusOr<std::optional<sql::FoundRun>> run =
      sql::FindRun(session, /*lock=*/"", execution.run);
  if (!run.ok()) return run.status();
  if (!run->has_value()) return std::nullopt;
  const int64_t run_id = (*run)->id;
  const ExecutionRecord& key = execution.execution;
  absl::StatusOr<Rows> rows = session.Query(
      "SELECT execution.id FROM execution JOIN target ON target.id = execution.target_id "
      "WHERE target.run_id = $1 AND target.label = $2 AND run_number = $3 AND shard = $4 "
      "AND attempt = $5",
      {run_id, key.target, int64_t{key.run_number}, int64_t{key.shard}, int64_t{key.attempt}});
  if (!rows.ok()) return rows.status();
  if (rows->empty()) return std::nullopt;
  const absl::StatusOr<uint32_t> same =
      CheckSameProfiles(session, rows->front().Number(0), execution);
  if (!same.ok()) return same.status();
  return RecordedExecution{run_id, /*already_present=*/true, *same};
}

// Adds the rows and the job of an execution, or finds them (see FindExecution). Errors of its blobs
// are ExecutionBlobs::AddRows's. `staged` are those that were given to BlobBytes::Stage; `queued`
// is by the database's clock.
absl::StatusOr<RecordedExecution> AddExecution(Session& session, const Dialect& dialect,
                                               const NewExecution& execution,
                                               const sql::ExecutionBlobs& blobs,
                                               const std::vector<const Blob*>& staged,
                                               absl::Time now, absl::Time queued) {
  absl::StatusOr<int64_t> run_id = sql::AddRun(session, dialect, execution, now);
  if (!run_id.ok()) return run_id.status();
  absl::StatusOr<int64_t> target_id = AddTarget(session, *run_id, execution.execution.target);
  if (!target_id.ok()) return target_id.status();
  const ExecutionRecord& key = execution.execution;
  absl::StatusOr<Rows> added = session.Query(
      "INSERT INTO execution (target_id, run_number, shard, attempt, cached, status, "
      "test_binary_digest, duration_ms) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) "
      "ON CONFLICT (target_id, run_number, shard, attempt) DO NOTHING RETURNING id",
      {*target_id, int64_t{key.run_number}, int64_t{key.shard}, int64_t{key.attempt},
       int64_t{key.cached}, key.status, key.test_binary_digest, int64_t{key.duration_ms}});
  if (!added.ok()) return added.status();
  if (added->empty()) {
    absl::StatusOr<std::optional<RecordedExecution>> found = FindExecution(session, execution);
    if (!found.ok()) return found.status();
    if (!found->has_value()) return absl::InternalError("an execution that was there has gone");
    return **found;
  }
  if (absl::Status status = CheckIsWhole(session, *target_id, key.target); !status.ok()) {
    return status;
  }
  absl::Status status = blobs.AddRows(session, dialect, staged);
  if (!status.ok()) return status;
  const int64_t execution_id = added->front().Number(0);
  status = AddImagesAndProfiles(session, dialect, execution_id, execution);
  if (!status.ok()) return status;
  auto profiles = static_cast<uint32_t>(execution.profiles.size());
  if (NeedsProfiles(execution)) {
    const absl::StatusOr<uint32_t> found =
        sql::FindCachedProfiles(session, execution_id, execution);
    if (!found.ok()) return found.status();
    profiles = *found;
  }
  status = AddJob(session, *target_id, execution.request, queued);
  if (!status.ok()) return status;
  status = sql::GiveTurnToTarget(session, *target_id, execution.run.project);
  if (!status.ok()) return status;
  return RecordedExecution{*run_id, /*already_present=*/false, profiles};
}

// What RecordExecution finds before it writes anything.
struct Preparation {
  std::optional<RecordedExecution> present;
  std::vector<const Blob*> to_stage;  // of its blobs
};

absl::StatusOr<Preparation> Prepare(Session& session, const Dialect& dialect,
                                    const NewExecution& execution,
                                    const sql::ExecutionBlobs& blobs) {
  absl::StatusOr<std::optional<RecordedExecution>> present = FindExecution(session, execution);
  if (!present.ok()) return present.status();
  if (present->has_value()) return Preparation{*std::move(present), {}};
  absl::StatusOr<std::vector<const Blob*>> to_stage = blobs.ToStage(session, dialect);
  if (!to_stage.ok()) return to_stage.status();
  return Preparation{std::nullopt, *std::move(to_stage)};
}

// All checks are made before any byte is written. The transaction then repeats those whose
// answer others may have changed.
absl::StatusOr<RecordedExecution> TryToRecord(sql::Database& database, sql::BlobBytes& bytes,
                                              const NewExecution& execution,
                                              const sql::ExecutionBlobs& blobs, absl::Time now) {
  absl::StatusOr<Preparation> preparation = sql::ReadIn(database, [&](Session& session) {
    return Prepare(session, database.dialect(), execution, blobs);
  });
  if (!preparation.ok()) return preparation.status();
  if (preparation->present.has_value()) return *preparation->present;

  const std::vector<const Blob*>& to_stage = preparation->to_stage;
  if (absl::Status status = bytes.Stage(to_stage); !status.ok()) return status;
  const absl::Time queued = now + database.ClockSkew();
  absl::StatusOr<RecordedExecution> recorded = sql::WriteIn(database, [&](Session& session) {
    return AddExecution(session, database.dialect(), execution, blobs, to_stage, now, queued);
  });
  if (!recorded.ok() || recorded->already_present) {
    // Another upload was first, or the disk is full. What nobody names is not left behind.
    std::vector<BlobName> staged;
    for (const Blob* blob : to_stage) staged.push_back(blob->name);
    (void)bytes.RemoveUnnamed(staged, absl::InfiniteFuture());  // else garbage collection does
  }
  return recorded;
}

}  // namespace

Ingest::Ingest(std::shared_ptr<sql::Database> database, std::shared_ptr<sql::BlobBytes> bytes)
    : database_(std::move(database)), bytes_(std::move(bytes)) {}

// A blob that was there and has gone by then was marked as unused
// long ago (store/upkeep/garbage.h): then all begins anew, with the bytes if they were given.
absl::StatusOr<RecordedExecution> Ingest::RecordExecution(const NewExecution& execution,
                                                          absl::Time now) const {
  if (absl::Status status = CheckNewExecution(execution); !status.ok()) return status;
  constexpr int kTries = 3;
  const sql::ExecutionBlobs blobs(execution);
  for (int tries = 1;; ++tries) {
    absl::StatusOr<RecordedExecution> recorded =
        TryToRecord(*database_, *bytes_, execution, blobs, now);
    if (!sql::IsBlobGone(recorded.status()) || tries == kTries) return recorded;
  }
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
