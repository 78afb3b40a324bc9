#include "store/sql/follow_up_rows.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/hash.h"
#include "base/status_macros.h"
#include "store/records/records.h"

namespace gprofhub::store::sql {

namespace {

// Bazel caches what passed. A run that failed is another measurement.
constexpr absl::string_view kSameResult =
    "SELECT execution.id, execution.test_binary_digest, execution.profiles_from, "
    "(SELECT count(*) FROM profile WHERE profile.execution_id = execution.id) "
    "FROM execution JOIN target ON target.id = execution.target_id "
    "JOIN run ON run.id = target.run_id "
    "WHERE run.project = $1 AND run.configuration = $2 AND target.label = $3 "
    "AND execution.run_number = $4 AND execution.shard = $5 AND run.profile_kind = 'counted' "
    "AND (run.from_fork = 0 OR (run.pull_request = $6 AND run.pull_request <> '')) "
    "AND execution.status IN ('PASSED', 'FLAKY', 'NO_STATUS') "
    "AND EXISTS (SELECT 1 FROM profile WHERE profile.execution_id = execution.id) ";

constexpr absl::string_view kOfBinary =
    "AND execution.test_binary_digest = $8 "
    "ORDER BY CASE WHEN run.pull_request = '' THEN 0 ELSE 1 END, "
    "CASE WHEN run.commit_hash = $7 THEN 0 ELSE 1 END, execution.id DESC LIMIT 1";
constexpr absl::string_view kOfCommit =
    "AND run.commit_hash = $7 "
    "ORDER BY CASE WHEN run.pull_request = '' THEN 0 ELSE 1 END, execution.id DESC LIMIT 1";

absl::StatusOr<Rows> FindSource(Session& session, const NewExecution& execution) {
  const RunRecord& run = execution.run;
  const ExecutionRecord& key = execution.execution;
  std::vector<Parameter> parameters = {
      run.project,        run.configuration, key.target, int64_t{key.run_number},
      int64_t{key.shard}, run.pull_request,  run.commit};
  const bool binary_is_known = !key.test_binary_digest.empty();
  if (binary_is_known) parameters.emplace_back(key.test_binary_digest);
  return session.Query(absl::StrCat(kSameResult, binary_is_known ? kOfBinary : kOfCommit),
                       parameters);
}

}  // namespace

absl::StatusOr<uint32_t> FindCachedProfiles(Session& session, int64_t execution_id,
                                            const NewExecution& execution) {
  ASSIGN_OR_RETURN(const Rows source, FindSource(session, execution));
  if (source.empty()) return 0;
  const int64_t source_id = source.front().Number(0);
  RETURN_IF_ERROR(
      session.Send("INSERT INTO image (execution_id, build_id, bundle) "
                   "SELECT CAST($1 AS bigint), build_id, bundle FROM image WHERE execution_id = $2",
                   {execution_id, source_id}));
  RETURN_IF_ERROR(session.Send(
      "INSERT INTO profile (execution_id, process, build_id, gmon) "
      "SELECT CAST($1 AS bigint), process, build_id, gmon FROM profile WHERE execution_id = $2",
      {execution_id, source_id}));
  // The original measurement, through all intermediate copies.
  const int64_t from = source.front().Number(2) != 0 ? source.front().Number(2) : source_id;
  RETURN_IF_ERROR(
      session.Send("UPDATE execution SET test_binary_digest = $2, profiles_from = $3 WHERE id = $1",
                   {execution_id, source.front().Text(1), from}));
  return static_cast<uint32_t>(source.front().Number(3));
}

absl::Status LockRunOfReport(Session& session, const Dialect& dialect, int64_t run_id) {
  return session.Execute(
      absl::StrCat("SELECT id FROM run WHERE id = $1 AND (pull_request <> '' OR from_fork = 0)",
                   dialect.for_update),
      {run_id});
}

absl::Status ChangeRun(Session& session, int64_t run_id, bool analysed) {
  RETURN_IF_ERROR(
      session.Execute(absl::StrCat("UPDATE run SET revision = revision + 1, counted_revision = -1",
                                   analysed ? ", analysed = 1" : "", " WHERE id = $1"),
                      {run_id}));
  return session.Send(
      absl::StrCat("DELETE FROM summary_span WHERE (project, branch, configuration, span) = "
                   "(SELECT project, branch, configuration, ",
                   kSpanOfRun, " FROM run WHERE id = $1)"),
      {run_id});
}

absl::Status QueueReport(Session& session, int64_t run_id, absl::Time now) {
  return session.Execute(
      "INSERT INTO report_job "
      "(run_id, state, queued_us, due_us, generation, of_branch, unkept, project, request) "
      "SELECT run.id, 'pending', CAST($2 AS bigint), "
      "CASE WHEN run.finished = 1 OR EXISTS (SELECT 1 FROM invocation "
      "WHERE invocation.run_id = run.id AND invocation.run_id <> 0 "  // as the index has it
      "AND invocation.state = 'ended') THEN CAST($2 AS bigint) ELSE CAST($3 AS bigint) END, 1, "
      "CASE WHEN run.pull_request = '' THEN 1 ELSE 0 END, "
      "CASE WHEN run.pull_request = '' THEN 1 ELSE 0 END, run.project, "
      // Of the analysis that ended last.
      "COALESCE((SELECT job.request FROM job JOIN target ON target.id = job.target_id "
      "WHERE target.run_id = run.id ORDER BY job.queued_us DESC, job.id DESC LIMIT 1), '') "
      "FROM run "
      "WHERE run.id = $1 AND (run.pull_request <> '' OR run.from_fork = 0) "
      "AND run.profile_kind = 'counted' "
      "AND NOT EXISTS (SELECT 1 FROM invocation WHERE invocation.run_id = run.id "
      "AND invocation.run_id <> 0 AND invocation.state <> 'ended') "
      // From the last label on: jobs are mostly done in the order of the labels, and the first that
      // is not done ends the search.
      "AND (SELECT 1 FROM target JOIN job ON job.target_id = target.id "
      "WHERE target.run_id = run.id AND job.state IN ('pending', 'leased') "
      "ORDER BY target.label DESC LIMIT 1) IS NULL "
      "ON CONFLICT (run_id) DO UPDATE SET generation = report_job.generation + 1, "
      "queued_us = excluded.queued_us, due_us = excluded.due_us, lost_leases = 0, "
      "request = excluded.request, unkept = excluded.unkept, "
      "state = CASE WHEN report_job.state = 'leased' THEN 'leased' ELSE 'pending' END",
      {run_id, absl::ToUnixMicros(now), absl::ToUnixMicros(now + kReportDelay)});
}

absl::Status HurryJobs(Session& session, int64_t run_id) {
  return session.Execute(
      "UPDATE job SET arrived_us = 0 WHERE state IN ('pending', 'leased') AND arrived_us <> 0 "
      "AND target_id IN (SELECT id FROM target WHERE run_id = $1)",
      {run_id});
}

absl::Status FinishRun(Session& session, absl::string_view project, int64_t run_id,
                       absl::Time now) {
  // The run's row is locked from here on: a job that ends meanwhile sees it (LockRunOfReport).
  ASSIGN_OR_RETURN(
      const Rows run,
      session.Query("UPDATE run SET finished = 1 WHERE id = $1 AND project = $2 RETURNING id",
                    {run_id, project}));
  if (run.empty()) {
    return absl::NotFoundError(absl::StrCat("project '", project, "' has no run ", run_id));
  }
  RETURN_IF_ERROR(HurryJobs(session, run_id));
  // A job that was claimed since it was queued waits for something else.
  return session.Execute(
      "UPDATE report_job SET due_us = $2 WHERE run_id = $1 AND state = 'pending' "
      "AND generation > claimed_generation AND due_us > $2",
      {run_id, absl::ToUnixMicros(now)});
}

absl::Status ReopenRun(Session& session, int64_t run_id) {
  return session.Send(
      "UPDATE run SET finished = 0, revision = revision + 1, counted_revision = -1 WHERE id = $1",
      {run_id});
}

namespace {

using Start = RerunRequestRecord::Start;

constexpr int64_t kMostListed = 10'000;

constexpr std::pair<Start, absl::string_view> kStarts[] = {
    {Start::kNotTried, "not tried"}, {Start::kStarted, "started"}, {Start::kFailed, "failed"}};

absl::string_view NameOf(Start start) {
  for (const auto& [value, name] : kStarts) {
    if (value == start) return name;
  }
  return kStarts[0].second;
}

Start StartOf(const std::string& text) {
  for (const auto& [value, name] : kStarts) {
    if (name == text) return value;
  }
  return Start::kNotTried;
}

// A hash, because the texts together are too long for an index.
std::string KeyOf(const CulpritRecord& record) {
  std::string identity;
  for (const std::string* part : {&record.project, &record.target, &record.function, &record.caller,
                                  &record.base_commit, &record.head_commit}) {
    absl::StrAppend(&identity, part->size(), ":", *part);
  }
  return base::Sha256Hex(identity);
}

// The reports on branches that end with the searched range have a new result to publish. One under
// way is made once more, because it may have read the culprits already.
absl::Status WakeReports(Session& session, const CulpritRecord& record) {
  return session.Execute(
      "UPDATE report_job SET due_us = CASE WHEN state = 'pending' AND due_us < $3 THEN due_us "
      "ELSE $3 END, generation = CASE WHEN state = 'leased' THEN generation + 1 "
      "ELSE generation END, "
      "state = CASE WHEN state = 'leased' THEN 'leased' ELSE 'pending' END "
      "WHERE of_branch = 1 AND run_id IN (SELECT MAX(newest.id) FROM run AS newest "
      "JOIN run AS head ON head.project = newest.project AND head.branch = newest.branch "
      "AND head.configuration = newest.configuration "
      "WHERE head.project = $1 AND head.commit_hash = $2 AND newest.pull_request = '' "
      "GROUP BY newest.branch, newest.configuration)",
      {record.project, record.head_commit, absl::ToUnixMicros(record.found)});
}

}  // namespace

absl::StatusOr<int64_t> AddRerunRequestIn(Session& session, const RerunRequestRecord& record) {
  ASSIGN_OR_RETURN(
      Rows added,
      session.Query(
          "INSERT INTO rerun_request (project, pull_request, commit_hash, run_id, author, source, "
          "created_us) VALUES ($1, $2, $3, $4, $5, $6, $7) "
          "ON CONFLICT (project, source) DO NOTHING RETURNING id",
          {record.project, record.pull_request, record.commit, record.run_id, record.author,
           record.source, absl::ToUnixMicros(record.created)}));
  if (!added.empty()) return added.front().Number(0);
  ASSIGN_OR_RETURN(Rows found,
                   session.Query("SELECT id FROM rerun_request WHERE project = $1 AND source = $2",
                                 {record.project, record.source}));
  if (found.empty()) return absl::InternalError("a request has disappeared");
  return found.front().Number(0);
}

absl::StatusOr<std::vector<RerunRequestRecord>> RerunRequestsOf(Session& session,
                                                                absl::string_view project,
                                                                absl::string_view pull_request) {
  ASSIGN_OR_RETURN(
      Rows rows,
      session.Query(
          "SELECT id, project, pull_request, commit_hash, run_id, author, source, created_us, "
          "start, "
          "note, CASE WHEN EXISTS (SELECT 1 FROM run WHERE run.project = rerun_request.project "
          "AND run.commit_hash = rerun_request.commit_hash AND run.rerun = 'is' "
          "AND run.id > rerun_request.run_id) THEN 1 ELSE 0 END "
          "FROM rerun_request WHERE project = $1 AND pull_request = $2 ORDER BY id",
          {project, pull_request}));
  std::vector<RerunRequestRecord> records;
  for (const Row& row : rows) {
    RerunRequestRecord record;
    record.id = row.Number(0);
    record.project = row.Text(1);
    record.pull_request = row.Text(2);
    record.commit = row.Text(3);
    record.run_id = row.Number(4);
    record.author = row.Text(5);
    record.source = row.Text(6);
    record.created = absl::FromUnixMicros(row.Number(7));
    record.start = StartOf(row.Text(8));
    record.note = row.Text(9);
    record.answered = row.Number(10) != 0;
    records.push_back(std::move(record));
  }
  return records;
}

absl::Status NoteStartIn(Session& session, int64_t id, Start start, absl::string_view note) {
  ASSIGN_OR_RETURN(
      Rows rows,
      session.Query("UPDATE rerun_request SET start = $2, note = $3 WHERE id = $1 RETURNING id",
                    {id, NameOf(start), note}));
  return rows.empty() ? absl::NotFoundError(absl::StrCat("unknown rerun request ", id))
                      : absl::OkStatus();
}

absl::StatusOr<int64_t> AddCulpritIn(Session& session, const CulpritRecord& record,
                                     const Actor& by) {
  const std::string key = KeyOf(record);
  ASSIGN_OR_RETURN(const Rows earlier,
                   session.Query("SELECT id, commit_hash, author, commit_date, subject "
                                 "FROM culprit WHERE culprit_key = $1",
                                 {key}));
  std::string replaced;
  if (!earlier.empty()) {
    const Row& row = earlier.front();
    if (row.Text(1) == record.commit && row.Text(2) == record.author &&
        row.Text(3) == record.date && row.Text(4) == record.subject) {
      return row.Number(0);
    }
    replaced = absl::StrCat(", instead of ", row.Text(1), " by ", row.Text(2));
  }
  ASSIGN_OR_RETURN(
      Rows rows,
      session.Query(
          "INSERT INTO culprit (culprit_key, project, target, function_name, caller, base_commit, "
          "head_commit, commit_hash, author, commit_date, subject, found_us) "
          "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) "
          "ON CONFLICT (culprit_key) DO UPDATE SET commit_hash = excluded.commit_hash, "
          "author = excluded.author, commit_date = excluded.commit_date, subject = "
          "excluded.subject, "
          "found_us = excluded.found_us RETURNING id",
          {key, record.project, record.target, record.function, record.caller, record.base_commit,
           record.head_commit, record.commit, record.author, record.date, record.subject,
           absl::ToUnixMicros(record.found)}));
  if (rows.empty()) return absl::InternalError("a culprit has disappeared");
  const int64_t id = rows.front().Number(0);
  const std::string detail = absl::StrCat(record.function, " in ", record.target, ": ",
                                          record.commit, " by ", record.author, replaced);
  RETURN_IF_ERROR(AddAuditRow(
      session, by, {record.project, "culprit.record", absl::StrCat("culprit ", id), detail},
      record.found));
  RETURN_IF_ERROR(WakeReports(session, record));
  return id;
}

absl::StatusOr<std::vector<CulpritRecord>> CulpritsOf(Session& session, absl::string_view project) {
  ASSIGN_OR_RETURN(
      Rows rows,
      session.Query("SELECT id, project, target, function_name, caller, base_commit, head_commit, "
                    "commit_hash, "
                    "author, commit_date, subject, found_us FROM culprit WHERE project = $1 "
                    "ORDER BY found_us DESC, id DESC LIMIT $2",
                    {project, kMostListed}));
  std::vector<CulpritRecord> records;
  for (const Row& row : rows) {
    CulpritRecord record;
    record.id = row.Number(0);
    record.project = row.Text(1);
    record.target = row.Text(2);
    record.function = row.Text(3);
    record.caller = row.Text(4);
    record.base_commit = row.Text(5);
    record.head_commit = row.Text(6);
    record.commit = row.Text(7);
    record.author = row.Text(8);
    record.date = row.Text(9);
    record.subject = row.Text(10);
    record.found = absl::FromUnixMicros(row.Number(11));
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace gprofhub::store::sql
