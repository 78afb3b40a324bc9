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

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "store/sql/audit_rows.h"
#include "store/sql/blob_bytes.h"
#include "store/sql/blob_rows.h"
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

absl::string_view NameOf(ProfileKind kind) {
  return kind == ProfileKind::kSampled ? "sampled" : "counted";
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

// A run that is there.
struct FoundRun {
  int64_t id = 0;
  std::string sender;
  bool finished = false;  // sql::FinishRun
};

// nullopt if there is none. FAILED_PRECONDITION and PERMISSION_DENIED as FindExecution says.
absl::StatusOr<std::optional<FoundRun>> FindRun(Session& session, const RunRecord& run) {
  absl::StatusOr<Rows> rows = session.Query(
      "SELECT id, commit_hash, configuration, profile_kind, pull_request, from_fork, sender, "
      "finished FROM run WHERE project = $1 AND run_key = $2",
      {run.project, run.run_key});
  if (!rows.ok()) return rows.status();
  if (rows->empty()) return std::nullopt;
  const Row& row = rows->front();
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
  if (row.Text(3) != NameOf(run.profile_kind)) {
    return mismatch("profiles of kind", row.Text(3), NameOf(run.profile_kind));
  }
  return FoundRun{row.Number(0), row.Text(6), row.Number(7) != 0};
}

// Notes that more of a run comes; tells of it if it is from another sender than the run's first.
absl::Status JoinRun(Session& session, const FoundRun& found, const NewExecution& execution,
                     absl::Time now) {
  if (found.finished) {
    if (absl::Status status = sql::ReopenRun(session, found.id); !status.ok()) return status;
  }
  if (found.sender == execution.sender.name) return absl::OkStatus();
  const std::string subject = absl::StrCat("run ", found.id);
  const std::string detail =
      absl::StrCat(execution.execution.target, " attempt ", execution.execution.attempt,
                   "; the run was sent by ", found.sender);
  return sql::AddAuditRow(session, execution.sender,
                          {execution.run.project, "run.extend", subject, detail}, now);
}

absl::StatusOr<int64_t> AddRun(Session& session, const NewExecution& execution, absl::Time now) {
  const RunRecord& run = execution.run;
  absl::StatusOr<std::optional<FoundRun>> found = FindRun(session, run);
  if (!found.ok()) return found.status();
  if (found->has_value()) {
    absl::Status joined = JoinRun(session, **found, execution, now);
    if (!joined.ok()) return joined;
    return (*found)->id;
  }
  const int64_t started = absl::ToUnixMicros(run.started);
  const int64_t committed = absl::ToUnixMicros(run.committed);
  const int64_t ordered =
      std::min(committed != 0 ? committed : started, absl::ToUnixMicros(now + kClockSkew));
  std::vector<std::vector<std::string>> ancestors;
  for (const std::string& ancestor : run.ancestors) ancestors.push_back({ancestor});
  absl::StatusOr<Rows> added = session.Query(
      "INSERT INTO run (project, run_key, commit_hash, branch, base_commit, pull_request, "
      " ci_link, configuration, from_fork, started_us, committed_us, ordered_us, "
      "received_us, machine, profile_kind, rerun, sender) "
      "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17) "
      "ON CONFLICT (project, run_key) DO NOTHING RETURNING id",
      {run.project, run.run_key, run.commit, run.branch, run.base_commit, run.pull_request,
       run.ci_link, run.configuration, int64_t{run.from_fork}, started, committed, ordered,
       absl::ToUnixMicros(now), run.machine, NameOf(run.profile_kind), NameOf(run.rerun),
       execution.sender.name});
  if (!added.ok()) return added.status();
  if (!added->empty()) {
    const int64_t id = added->front().Number(0);
    if (!run.ancestors.empty()) {
      absl::Status kept =
          session.Execute("INSERT INTO run_ancestors (run_id, ancestors) VALUES ($1, $2)",
                          {id, JsonTable(ancestors)});
      if (!kept.ok()) return kept;
    }
    const std::string subject = absl::StrCat("run ", id);
    const std::string detail =
        absl::StrCat("run key ", run.run_key, ", commit ", run.commit, ", branch ", run.branch,
                     ", ", TrustOf(run.pull_request, run.from_fork));
    absl::Status told = sql::AddAuditRow(session, execution.sender,
                                         {run.project, "run.create", subject, detail}, now);
    if (!told.ok()) return told;
    return id;
  }
  found = FindRun(session, run);
  if (!found.ok()) return found.status();
  if (!found->has_value()) return absl::InternalError("a run that was there has gone");
  absl::Status joined = JoinRun(session, **found, execution, now);
  if (!joined.ok()) return joined;
  return (*found)->id;
}

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

// In the order of the names.
std::vector<BlobName> ReferredBlobs(const NewExecution& execution) {
  std::set<BlobName> referred;
  for (const ImageRecord& image : execution.images) referred.insert(image.bundle);
  for (const ProfileRecord& profile : execution.profiles) referred.insert(profile.data);
  return std::vector<BlobName>(referred.begin(), referred.end());
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
  absl::StatusOr<std::optional<FoundRun>> run = FindRun(session, execution.run);
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

absl::Status MissingBlob(const BlobName& name, absl::string_view project) {
  return absl::FailedPreconditionError(
      absl::StrCat("blob ", name, " is neither given, nor was it sent by project '", project,
                   "' before: send its bytes"));
}

// Adds the rows and the job of an execution, or finds them (see FindExecution). FAILED_PRECONDITION
// if a blob that was there when the upload was prepared has gone since.
// `staged` are its blobs that were given to BlobBytes::Stage; `queued` is by the database's clock.
absl::StatusOr<RecordedExecution> AddExecution(Session& session, const Dialect& dialect,
                                               const NewExecution& execution,
                                               const std::vector<const Blob*>& staged,
                                               absl::Time now, absl::Time queued) {
  absl::StatusOr<int64_t> run_id = AddRun(session, execution, now);
  if (!run_id.ok()) return run_id.status();
  absl::StatusOr<int64_t> target_id = AddTarget(session, *run_id, execution.execution.target);
  if (!target_id.ok()) return target_id.status();
  const ExecutionRecord& key = execution.execution;
  absl::StatusOr<Rows> added = session.Query(
      "INSERT INTO execution (target_id, run_number, shard, attempt, cached, status, "
      "test_binary_digest) VALUES ($1, $2, $3, $4, $5, $6, $7) "
      "ON CONFLICT (target_id, run_number, shard, attempt) DO NOTHING RETURNING id",
      {*target_id, int64_t{key.run_number}, int64_t{key.shard}, int64_t{key.attempt},
       int64_t{key.cached}, key.status, key.test_binary_digest});
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
  std::vector<BlobName> sent;
  for (const Blob* blob : staged) {
    if (absl::Status status = session.AddBlob(*blob); !status.ok()) return status;
    sent.push_back(blob->name);
  }
  absl::Status status = sql::AddBlobRights(session, dialect, execution.run.project, sent);
  if (!status.ok()) return status;
  const absl::StatusOr<std::vector<BlobName>> missing =
      sql::FindMissingBlobs(session, dialect, execution.run.project, ReferredBlobs(execution));
  if (!missing.ok()) return missing.status();
  if (!missing->empty()) return MissingBlob(missing->front(), execution.run.project);
  const int64_t execution_id = added->front().Number(0);
  status = AddImagesAndProfiles(session, dialect, execution_id, execution);
  if (!status.ok()) return status;
  status = sql::MarkAsUsed(session, dialect, ReferredBlobs(execution));
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
  std::vector<BlobName> missing;  // blobs referred to that the project has not sent
};

absl::StatusOr<Preparation> Prepare(Session& session, const Dialect& dialect,
                                    const NewExecution& execution) {
  absl::StatusOr<std::optional<RecordedExecution>> present = FindExecution(session, execution);
  if (!present.ok()) return present.status();
  if (present->has_value()) return Preparation{*std::move(present), {}};
  // All uploads add their blobs in the order of the names. So no two of them wait for each
  // other.
  absl::StatusOr<std::vector<BlobName>> missing =
      sql::FindMissingBlobs(session, dialect, execution.run.project, ReferredBlobs(execution));
  if (!missing.ok()) return missing.status();
  return Preparation{std::nullopt, *std::move(missing)};
}

// All checks are made before any byte is written. The transaction then repeats those whose
// answer others may have changed.
absl::StatusOr<RecordedExecution> TryToRecord(sql::Database& database, sql::BlobBytes& bytes,
                                              const NewExecution& execution, absl::Time now) {
  absl::StatusOr<Preparation> preparation = sql::ReadIn(
      database, [&](Session& session) { return Prepare(session, database.dialect(), execution); });
  if (!preparation.ok()) return preparation.status();
  if (preparation->present.has_value()) return *preparation->present;

  absl::flat_hash_map<absl::string_view, const Blob*> given;
  for (const Blob& blob : execution.blobs) given.emplace(blob.name, &blob);
  std::vector<const Blob*> to_add;
  for (const BlobName& name : preparation->missing) {
    const auto blob = given.find(name);
    if (blob == given.end()) {
      return MissingBlob(name, execution.run.project);
    }
    to_add.push_back(blob->second);
  }
  if (absl::Status status = bytes.Stage(to_add); !status.ok()) return status;
  const absl::Time queued = now + database.ClockSkew();
  absl::StatusOr<RecordedExecution> recorded = sql::WriteIn(database, [&](Session& session) {
    return AddExecution(session, database.dialect(), execution, to_add, now, queued);
  });
  if (!recorded.ok() || recorded->already_present) {
    // Another upload was first, or the disk is full. What nobody names is not left behind.
    std::vector<BlobName> staged;
    for (const Blob* blob : to_add) staged.push_back(blob->name);
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
  for (int tries = 1;; ++tries) {
    absl::StatusOr<RecordedExecution> recorded = TryToRecord(*database_, *bytes_, execution, now);
    if (!absl::IsFailedPrecondition(recorded.status()) || tries == kTries) return recorded;
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
