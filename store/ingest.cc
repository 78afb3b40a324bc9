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
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "store/records/records.h"
#include "store/records/run_columns.h"
#include "store/sql/database.h"
#include "store/sql/engine.h"
#include "store/sql/follow_up_rows.h"
#include "store/validation.h"

namespace gprofhub::store::sql {

namespace {

constexpr absl::string_view kSeparateKey =
    "; use a separate key for each run (the default is Bazel's invocation id)";

// The blobs of an execution during its upload.

// The blobs of the execution's images and profiles, each once, ordered by name: all uploads add
// their blobs in that order, so they cannot deadlock.
class ExecutionBlobs {
 public:
  // `execution` outlives it.
  explicit ExecutionBlobs(const NewExecution& execution);

  // The statements that are due for them.
  struct Due {
    std::vector<const Blob*> to_add;  // the project has not sent them before
    bool to_mark = false;             // garbage collection has marked some
  };
  // Asks for that. The statement views this.
  Statement Find(const Dialect& dialect) const;
  // Turns the results of Find into statements. FAILED_PRECONDITION if the bytes of a blob to add
  // are missing.
  absl::StatusOr<Due> ToDo(const Rows& found) const;

  // Sends it. A blob that existed and was collected since is an error of the transaction, after
  // which it runs again (Database::Write).
  absl::Status Send(Session& session, const Dialect& dialect, const Due& due) const;

 private:
  const NewExecution& execution_;
  std::vector<BlobName> names_;
  std::string list_;  // the same for Dialect::list
};

ExecutionBlobs::ExecutionBlobs(const NewExecution& execution) : execution_(execution) {
  std::set<BlobName> named;
  for (const ImageRecord& image : execution.images) named.insert(image.bundle);
  for (const ProfileRecord& profile : execution.profiles) named.insert(profile.data);
  names_.assign(named.begin(), named.end());
  list_ = JsonColumn(names_);
}

Statement ExecutionBlobs::Find(const Dialect& dialect) const {
  return FindBlobsToAdd(dialect, execution_.run.project, list_);
}

absl::StatusOr<ExecutionBlobs::Due> ExecutionBlobs::ToDo(const Rows& found) const {
  absl::flat_hash_map<absl::string_view, const Blob*> given;
  for (const Blob& blob : execution_.blobs) given.emplace(blob.name, &blob);
  Due due;
  for (const Row& row : found) {
    const absl::string_view name = row.View(0);
    due.to_mark = due.to_mark || row.Number(2) != 0;
    if (row.Number(1) == 0) continue;
    const auto blob = given.find(name);
    if (blob == given.end()) {
      return absl::FailedPreconditionError(
          absl::StrCat("blob ", name, " is missing and was not sent before by project '",
                       execution_.run.project, "'; send its bytes"));
    }
    due.to_add.push_back(blob->second);
  }
  return due;
}

absl::Status ExecutionBlobs::Send(Session& session, const Dialect& dialect, const Due& due) const {
  std::vector<BlobName> sent;
  for (const Blob* blob : due.to_add) {
    RETURN_IF_ERROR(session.AddBlob(*blob));
    sent.push_back(blob->name);
  }
  if (!sent.empty()) {
    RETURN_IF_ERROR(AddBlobRights(session, dialect, execution_.run.project, sent));
  }
  return due.to_mark ? MarkAsUsed(session, dialect, names_) : absl::OkStatus();
}

// The rows of an execution, and the job that it makes.

// A cached result whose uploader does not have the profile.
bool NeedsProfiles(const NewExecution& execution);

// The data that `execution` views outlives the statements.
//
// Adds the execution's target to its run, unless it is there, or the run is not.
Statement AddTargetUnlessThere(const NewExecution& execution);
// Adds the execution to its target, unless it is there, or the target is not.
Statement AddExecutionUnlessThere(const NewExecution& execution);
// Finds the execution's result and profiles.
Statement FindProfiles(const NewExecution& execution);

struct AddedExecution {
  int64_t id = 0;
  int64_t target_id = 0;
};
// The row that AddExecutionUnlessThere has added; nullopt if it existed. FAILED_PRECONDITION if the
// execution includes results so old that their profiles are deleted: the sum would lack them.
absl::StatusOr<std::optional<AddedExecution>> CheckAdded(const Rows& rows,
                                                         const NewExecution& execution);

// The results of FindProfiles: the number of profiles of the stored execution; nullopt if it does
// not exist. For an execution that needed profiles, the ones found. ALREADY_EXISTS if it has
// different ones, or another result.
absl::StatusOr<std::optional<uint32_t>> CheckSameProfiles(const Rows& rows,
                                                          const NewExecution& execution);

// Sends the rows of its images and profiles, whose blobs have rows.
absl::Status AddImagesAndProfiles(Session& session, const Dialect& dialect, int64_t execution_id,
                                  const NewExecution& execution);

// Sends a job for the target, with its turn (store/sql/engine.h), or one more generation for
// the target's job. A leased job stays leased: when its worker ends it, the worker sees the newer
// generation.
absl::Status AddJob(Session& session, int64_t target_id, const NewExecution& execution,
                    absl::Time queued);

// A condition: the target is that of the run $1, $2 with the label $3.
constexpr absl::string_view kIsTarget =
    "target.run_id = (SELECT run.id FROM run WHERE run.project = $1 AND run.run_key = $2) "
    "AND target.label = $3";

using ProfileKey = std::tuple<std::string, std::string, BlobName>;

bool NeedsProfiles(const NewExecution& execution) {
  return execution.execution.cached && execution.profiles.empty() &&
         execution.run.profile_kind == ProfileKind::kCounted;
}

Statement AddTargetUnlessThere(const NewExecution& execution) {
  // A row that conflicts would use up an id.
  return {
      "INSERT INTO target (run_id, label) SELECT run.id, CAST($3 AS text) FROM run "
      "WHERE run.project = $1 AND run.run_key = $2 AND NOT EXISTS (SELECT 1 FROM target "
      "WHERE target.run_id = run.id AND target.label = $3) "
      "ON CONFLICT (run_id, label) DO NOTHING",
      {execution.run.project, execution.run.run_key, execution.execution.target}};
}

// Approximate size of the execution's rows.
int64_t RowBytes(const NewExecution& execution) {
  constexpr size_t kRow = 100;
  const ExecutionRecord& key = execution.execution;
  size_t bytes = 2 * kRow + key.target.size() + key.status.size() + key.test_binary_digest.size();
  for (const ImageRecord& image : execution.images) {
    bytes += kRow + image.build_id.size() + image.bundle.size();
  }
  for (const ProfileRecord& profile : execution.profiles) {
    bytes += kRow + profile.process.size() + profile.build_id.size() + profile.data.size();
  }
  return static_cast<int64_t>(bytes);
}

Statement AddExecutionUnlessThere(const NewExecution& execution) {
  const ExecutionRecord& key = execution.execution;
  return {absl::StrCat("INSERT INTO execution (target_id, run_number, shard, attempt, cached, "
                       "status, test_binary_digest, duration_ms, row_bytes) SELECT target.id, "
                       "CAST($4 AS bigint), CAST($5 AS bigint), CAST($6 AS bigint), "
                       "CAST($7 AS bigint), CAST($8 AS text), CAST($9 AS text), "
                       "CAST($10 AS bigint), CAST($11 AS bigint) FROM target WHERE ",
                       kIsTarget,
                       " ON CONFLICT (target_id, run_number, shard, attempt) DO NOTHING "
                       "RETURNING id, target_id, CASE WHEN EXISTS (SELECT 1 FROM execution AS "
                       "other WHERE other.target_id = execution.target_id "
                       "AND other.profiles_removed > 0) THEN 1 ELSE 0 END"),
          {execution.run.project, execution.run.run_key, key.target, int64_t{key.run_number},
           int64_t{key.shard}, int64_t{key.attempt}, int64_t{key.cached}, key.status,
           key.test_binary_digest, int64_t{key.duration_ms}, RowBytes(execution)}};
}

Statement FindProfiles(const NewExecution& execution) {
  const ExecutionRecord& key = execution.execution;
  return {absl::StrCat("SELECT execution.profiles_removed, profile.process, profile.build_id, "
                       "profile.gmon, execution.status, execution.duration_ms "
                       "FROM execution LEFT JOIN profile "
                       "ON profile.execution_id = execution.id WHERE execution.target_id = "
                       "(SELECT target.id FROM target WHERE ",
                       kIsTarget,
                       ") AND execution.run_number = $4 AND execution.shard = $5 "
                       "AND execution.attempt = $6"),
          {execution.run.project, execution.run.run_key, key.target, int64_t{key.run_number},
           int64_t{key.shard}, int64_t{key.attempt}}};
}

absl::StatusOr<std::optional<AddedExecution>> CheckAdded(const Rows& rows,
                                                         const NewExecution& execution) {
  if (rows.empty()) return std::nullopt;
  const Row row = rows.front();
  if (row.Number(2) != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat(execution.execution.target,
                     ": retention removed the profiles of this run, so no more can be added; use "
                     "another run key"));
  }
  return AddedExecution{row.Number(0), row.Number(1)};
}

// The result, if its status or duration differs from the given one and both are known; else empty.
std::string OtherResult(const Row& row, const ExecutionRecord& given) {
  const auto is_known = [](absl::string_view status) {
    return !status.empty() && status != "NO_STATUS";
  };
  const absl::string_view status = row.View(4);
  const int64_t duration_ms = row.Number(5);
  const bool other_status = is_known(status) && is_known(given.status) && status != given.status;
  const bool other_duration =
      duration_ms != 0 && given.duration_ms != 0 && duration_ms != int64_t{given.duration_ms};
  return other_status || other_duration ? absl::StrCat(status, " after ", duration_ms, " ms") : "";
}

absl::Status ExecutionExists(const NewExecution& execution, absl::string_view difference) {
  const ExecutionRecord& key = execution.execution;
  return absl::AlreadyExistsError(
      absl::StrCat("execution of ", key.target, " (run number ", key.run_number, ", shard ",
                   key.shard, ", attempt ", key.attempt, ") in run '", execution.run.run_key,
                   "' already exists with other ", difference, kSeparateKey));
}

absl::StatusOr<std::optional<uint32_t>> CheckSameProfiles(const Rows& rows,
                                                          const NewExecution& execution) {
  if (rows.empty()) return std::nullopt;
  const bool needs_profiles = NeedsProfiles(execution);
  const std::string other = needs_profiles ? "" : OtherResult(rows.front(), execution.execution);
  if (const int64_t removed = rows.front().Number(0); removed > 0 && other.empty()) {
    return static_cast<uint32_t>(removed);  // it is unknown which
  }
  std::set<ProfileKey> stored;
  for (const Row& row : rows) {
    // NULL: no previous row.
    if (!row.View(1).empty()) stored.emplace(row.Text(1), row.Text(2), row.Text(3));
  }
  std::set<ProfileKey> given;
  for (const ProfileRecord& profile : execution.profiles) {
    given.emplace(profile.process, profile.build_id, profile.data);
  }
  if (!other.empty()) {
    const ExecutionRecord& record = execution.execution;
    return ExecutionExists(
        execution, absl::StrCat("results: ", other, " is stored, ", record.status, " after ",
                                record.duration_ms, " ms was given"));
  }
  if (stored == given || needs_profiles) return static_cast<uint32_t>(stored.size());
  return ExecutionExists(execution, absl::StrCat("profiles: ", stored.size(), " are stored, ",
                                                 given.size(), " were given"));
}

absl::Status AddImagesAndProfiles(Session& session, const Dialect& dialect, int64_t execution_id,
                                  const NewExecution& execution) {
  if (!execution.images.empty()) {
    std::vector<std::vector<std::string>> images;
    for (const ImageRecord& image : execution.images) {
      images.push_back({image.build_id, image.bundle});
    }
    RETURN_IF_ERROR(
        session.Send(absl::StrCat("INSERT INTO image (execution_id, build_id, bundle) "
                                  "SELECT CAST($2 AS bigint), item ->> 0, item ->> 1 FROM ",
                                  dialect.list),
                     {JsonTable(images), execution_id}));
  }
  if (execution.profiles.empty()) return absl::OkStatus();
  std::vector<std::vector<std::string>> profiles;
  for (const ProfileRecord& profile : execution.profiles) {
    profiles.push_back({profile.process, profile.build_id, profile.data});
  }
  return session.Send(
      absl::StrCat("INSERT INTO profile (execution_id, process, build_id, gmon) "
                   "SELECT CAST($2 AS bigint), item ->> 0, item ->> 1, item ->> 2 FROM ",
                   dialect.list),
      {JsonTable(profiles), execution_id});
}

absl::Status AddJob(Session& session, int64_t target_id, const NewExecution& execution,
                    absl::Time queued) {
  // A waiting job keeps its turn; a running one gets none.
  constexpr absl::string_view kHasNoTurn = "job.turn = 0 AND job.state <> 'leased'";
  return session.Send(
      absl::StrCat(
          "INSERT INTO job (target_id, state, queued_us, arrived_us, generation, request, project, "
          "turn) VALUES ($1, 'pending', $2, $2, 1, $3, $4, ",
          NextTurn("$4"),
          ") ON CONFLICT (target_id) DO UPDATE SET generation = job.generation + 1, "
          "arrived_us = excluded.arrived_us, request = excluded.request, "
          "queued_us = CASE WHEN job.state IN ('done', 'failed') THEN excluded.queued_us "
          "ELSE job.queued_us END, project = CASE WHEN ",
          kHasNoTurn, " THEN excluded.project ELSE job.project END, turn = CASE WHEN ", kHasNoTurn,
          " THEN excluded.turn ELSE job.turn END, "
          "state = CASE WHEN job.state = 'leased' THEN 'leased' ELSE 'pending' END"),
      {target_id, absl::ToUnixMicros(queued), execution.request, execution.run.project});
}

// The run of an uploaded execution.

// A run that is there.
struct FoundRun {
  int64_t id = 0;
  std::string sender;
  bool finished = false;    // FinishRun (store/sql/follow_up_rows.h)
  bool is_counted = false;  // its targets are, as they are (store/rows/kept_changes.h)
};

// The data that `run` views outlives the statements.
//
// Adds the execution's run, unless it is there. Gives a row if it was not.
Statement AddRunUnlessThere(const NewExecution& execution, absl::Time now);
// Finds it. `lock` is empty or of the Dialect.
Statement FindRun(const RunRecord& run, absl::string_view lock);

// The row of FindRun; nullopt if it does not exist. FAILED_PRECONDITION if it has another commit,
// configuration or kind of profiles. PERMISSION_DENIED if it has another trust.
absl::StatusOr<std::optional<FoundRun>> CheckRun(const Rows& rows, const RunRecord& run);

// Sends the updates of the locked run that follow from an added execution. A new run gets its
// ancestors, a finished one is open again, and the counts of a counted one are invalid. Adds audit
// events for a new run, and for an execution of another sender than the run's first.
absl::Status JoinRun(Session& session, const FoundRun& run, bool is_new,
                     const NewExecution& execution, absl::Time now);

// Whose word a run is.
std::string TrustOf(absl::string_view pull_request, bool from_fork) {
  if (pull_request.empty()) return from_fork ? "of a fork" : "of the main line";
  return absl::StrCat("of pull request ", pull_request, from_fork ? " from a fork" : "");
}

Statement AddRunUnlessThere(const NewExecution& execution, absl::Time now) {
  const RunRecord& run = execution.run;
  const int64_t started = absl::ToUnixMicros(run.started);
  const int64_t committed = absl::ToUnixMicros(run.committed);
  const int64_t ordered =
      std::min(committed != 0 ? committed : started, absl::ToUnixMicros(now + kClockSkew));
  std::string names;
  std::string values;
  std::vector<Parameter> parameters = {run.project, run.run_key};
  const auto add = [&](absl::string_view name, RunColumn::Value value) {
    const absl::string_view separator = names.empty() ? "" : ", ";
    const bool is_number = std::holds_alternative<int64_t>(value);
    std::visit([&parameters](auto parameter) { parameters.emplace_back(parameter); }, value);
    absl::StrAppend(&names, separator, name);
    absl::StrAppend(&values, separator, "CAST($", parameters.size(), " AS ",
                    is_number ? "bigint)" : "text)");
  };
  for (const RunColumn& column : RunColumns()) add(column.name, column.read(run));
  add("sender", execution.sender.name);
  add("ordered_us", ordered);
  add("received_us", absl::ToUnixMicros(now));
  // A row that conflicts would use up an id.
  return {absl::StrCat("INSERT INTO run (", names, ") SELECT ", values,
                       " WHERE NOT EXISTS (SELECT 1 FROM run WHERE project = $1 AND run_key = $2) "
                       "ON CONFLICT (project, run_key) DO NOTHING RETURNING id"),
          std::move(parameters)};
}

Statement FindRun(const RunRecord& run, absl::string_view lock) {
  return {absl::StrCat("SELECT id, commit_hash, configuration, profile_kind, pull_request, "
                       "from_fork, sender, finished, counted_revision FROM run "
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
        TrustOf(row.Text(4), row.Number(5) != 0), " according to its first upload, but ",
        TrustOf(run.pull_request, run.from_fork), " according to this one", kSeparateKey));
  }
  const auto mismatch = [&run](absl::string_view what, absl::string_view there,
                               absl::string_view given) {
    return absl::FailedPreconditionError(
        absl::StrCat("run '", run.run_key, "' of project '", run.project, "' already exists with ",
                     what, " '", there, "', not '", given, "'", kSeparateKey));
  };
  if (row.Text(1) != run.commit) return mismatch("commit", row.Text(1), run.commit);
  if (row.Text(2) != run.configuration) {
    return mismatch("configuration", row.Text(2), run.configuration);
  }
  if (row.View(3) != NameOf(run.profile_kind)) {
    return mismatch("profiles of kind", row.View(3), NameOf(run.profile_kind));
  }
  return FoundRun{row.Number(0), row.Text(6), row.Number(7) != 0, row.Number(8) >= 0};
}

absl::Status JoinRun(Session& session, const FoundRun& run, bool is_new,
                     const NewExecution& execution, absl::Time now) {
  const std::string subject = absl::StrCat("run ", run.id);
  if (is_new) {
    const RunRecord& record = execution.run;
    if (!record.ancestors.empty()) {
      RETURN_IF_ERROR(session.Send("INSERT INTO run_ancestors (run_id, ancestors) VALUES ($1, $2)",
                                   {run.id, JsonColumn(record.ancestors)}));
    }
    const std::string detail =
        absl::StrCat("run key ", record.run_key, ", commit ", record.commit, ", branch ",
                     record.branch, ", ", TrustOf(record.pull_request, record.from_fork));
    return AddAuditRow(session, execution.sender, {record.project, "run.create", subject, detail},
                       now);
  }
  if (run.finished || run.is_counted) {
    RETURN_IF_ERROR(ReopenRun(session, run.id));
  }
  if (run.sender == execution.sender.name) return absl::OkStatus();
  const std::string detail =
      absl::StrCat(execution.execution.target, " attempt ", execution.execution.attempt,
                   "; the run was sent by ", run.sender);
  return AddAuditRow(session, execution.sender,
                     {execution.run.project, "run.extend", subject, detail}, now);
}

}  // namespace

}  // namespace gprofhub::store::sql

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
                                    const NewExecution& execution, const ExecutionBlobs& blobs,
                                    absl::string_view lock) {
  ASSIGN_OR_RETURN(const std::vector<Rows> answers,
                   session.QueryAll({sql::FindRun(execution.run, lock),
                                     sql::FindProfiles(execution), blobs.Find(dialect)}));
  ASSIGN_OR_RETURN(const std::optional<sql::FoundRun> run,
                   sql::CheckRun(answers[0], execution.run));
  ASSIGN_OR_RETURN(const std::optional<uint32_t> same,
                   sql::CheckSameProfiles(answers[1], execution));
  if (run.has_value() && same.has_value()) {
    return Preparation{RecordedExecution{run->id, /*already_present=*/true, *same}, {}};
  }
  ASSIGN_OR_RETURN(ExecutionBlobs::Due due, blobs.ToDo(answers[2]));
  return Preparation{std::nullopt, std::move(due.to_add)};
}

// Adds the rows and the job of an execution, or finds them. Errors are those of RecordExecution.
// `queued` is by the database's clock.
absl::StatusOr<RecordedExecution> AddExecution(Session& session, const Dialect& dialect,
                                               const NewExecution& execution,
                                               const ExecutionBlobs& blobs, absl::Time now,
                                               absl::Time queued) {
  ASSIGN_OR_RETURN(const std::vector<Rows> answers,
                   session.QueryAll({sql::AddRunUnlessThere(execution, now),
                                     sql::FindRun(execution.run, dialect.for_key_share),
                                     sql::AddTargetUnlessThere(execution),
                                     sql::AddExecutionUnlessThere(execution),
                                     sql::FindProfiles(execution), blobs.Find(dialect)}));
  ASSIGN_OR_RETURN(const std::optional<sql::FoundRun> run,
                   sql::CheckRun(answers[1], execution.run));
  // It was deleted while this waited for its lock. Start again.
  if (!run.has_value()) return absl::AbortedError("a run has disappeared");
  ASSIGN_OR_RETURN(const std::optional<sql::AddedExecution> added,
                   sql::CheckAdded(answers[3], execution));
  if (!added.has_value()) {
    ASSIGN_OR_RETURN(const std::optional<uint32_t> same,
                     sql::CheckSameProfiles(answers[4], execution));
    if (!same.has_value()) return absl::InternalError("an execution has disappeared");
    return RecordedExecution{run->id, /*already_present=*/true, *same};
  }
  ASSIGN_OR_RETURN(const ExecutionBlobs::Due due, blobs.ToDo(answers[5]));

  // The run before the job: all take their locks in one order.
  RETURN_IF_ERROR(sql::JoinRun(session, *run, /*is_new=*/!answers[0].empty(), execution, now));
  RETURN_IF_ERROR(blobs.Send(session, dialect, due));
  RETURN_IF_ERROR(sql::AddImagesAndProfiles(session, dialect, added->id, execution));
  auto profiles = static_cast<uint32_t>(execution.profiles.size());
  if (sql::NeedsProfiles(execution)) {
    ASSIGN_OR_RETURN(const uint32_t found, sql::FindCachedProfiles(session, added->id, execution));
    profiles = found;
  }
  RETURN_IF_ERROR(sql::AddJob(session, added->target_id, execution, queued));
  return RecordedExecution{run->id, /*already_present=*/false, profiles};
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
  ASSIGN_OR_RETURN(const Preparation preparation, sql::ReadIn(database, [&](Session& session) {
                     return Prepare(session, database.dialect(), execution, blobs, /*lock=*/"");
                   }));
  if (preparation.present.has_value()) {
    // An earlier upload may have committed it without the answer of a synchronous standby. This
    // commit has it, because of the lock.
    ASSIGN_OR_RETURN(const Preparation again, sql::WriteIn(database, [&](Session& session) {
                       return Prepare(session, database.dialect(), execution, blobs,
                                      database.dialect().for_key_share);
                     }));
    if (again.present.has_value()) return *again.present;
    return absl::UnavailableError("the run was deleted meanwhile; send it again");
  }

  const std::vector<const Blob*>& to_stage = preparation.to_stage;
  RETURN_IF_ERROR(bytes.Stage(to_stage));
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
  RETURN_IF_ERROR(CheckNewExecution(execution));
  const ExecutionBlobs blobs(execution);
  return Stages(*bytes_, execution) ? StageAndAdd(*database_, *bytes_, execution, blobs, now)
                                    : AddIn(*database_, execution, blobs, now);
}

absl::Status Ingest::FinishRun(absl::string_view project, int64_t run_id, absl::Time now) const {
  RETURN_IF_ERROR(CheckKey("project", project));
  now += database_->ClockSkew();
  return database_->Write(
      [&](Session& session) { return sql::FinishRun(session, project, run_id, now); });
}

namespace {

// SQL: the approximate bytes of a row with these texts.
std::string RowBytesOf(absl::Span<const absl::string_view> texts) {
  std::string sum = "200";
  for (const absl::string_view text : texts) absl::StrAppend(&sum, " + octet_length(", text, ")");
  return sum;
}

std::string SentBytesQuery() {
  struct Part {
    std::string bytes;   // of one row
    std::string source;  // tables, and the column of the project
  };
  std::vector<absl::string_view> run = {"COALESCE(ancestors, '')", "sender"};
  for (const RunColumn& column : RunColumns()) {
    if (column.type == RunColumn::Type::kText) run.push_back(column.name);
  }
  const Part parts[] = {
      {"blob.size", "blob_right JOIN blob ON blob.name = blob_right.name WHERE blob_right.project"},
      {"stored_bytes", "invocation WHERE project"},
      {RowBytesOf(run),
       "run LEFT JOIN run_ancestors ON run_ancestors.run_id = run.id WHERE project"},
      {"row_bytes",
       "run JOIN target ON target.run_id = run.id "
       "JOIN execution ON execution.target_id = target.id WHERE run.project"},
      {RowBytesOf({"rule_name", "target", "function_name", "function_display"}),
       "gated WHERE project"},
      {RowBytesOf({"target", "function_name", "caller", "author", "subject"}),
       "culprit WHERE project"},
      {RowBytesOf({"target", "function_name", "author", "reason", "source"}),
       "acknowledgement WHERE project"},
  };
  std::string sum;
  for (const Part& part : parts) {
    absl::StrAppend(&sum, sum.empty() ? "" : " + ", "(SELECT COALESCE(SUM(", part.bytes,
                    "), 0) FROM ", part.source, " = $1)");
  }
  return absl::StrCat("SELECT CAST(", sum, " AS bigint)");
}

}  // namespace

absl::StatusOr<uint64_t> Ingest::SentBytes(absl::string_view project) const {
  RETURN_IF_ERROR(CheckKey("project", project));
  return sql::ReadIn(*database_, [&](Session& session) -> absl::StatusOr<uint64_t> {
    ASSIGN_OR_RETURN(const Rows rows, session.Query(SentBytesQuery(), {project}));
    return static_cast<uint64_t>(rows.front().Number(0));
  });
}

}  // namespace gprofhub::store
