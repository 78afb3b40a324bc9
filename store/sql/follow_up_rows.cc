#include "store/sql/follow_up_rows.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/sha256.h"

namespace gprofhub::store::sql {
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
  absl::StatusOr<Rows> added = session.Query(
      "INSERT INTO rerun_request (project, pull_request, commit_hash, run_id, author, source, "
      "created_us) VALUES ($1, $2, $3, $4, $5, $6, $7) "
      "ON CONFLICT (project, source) DO NOTHING RETURNING id",
      {record.project, record.pull_request, record.commit, record.run_id, record.author,
       record.source, absl::ToUnixMicros(record.created)});
  if (!added.ok()) return added.status();
  if (!added->empty()) return added->front().Number(0);
  absl::StatusOr<Rows> found =
      session.Query("SELECT id FROM rerun_request WHERE project = $1 AND source = $2",
                    {record.project, record.source});
  if (!found.ok()) return found.status();
  if (found->empty()) return absl::InternalError("a request that was there has gone");
  return found->front().Number(0);
}

absl::StatusOr<std::vector<RerunRequestRecord>> RerunRequestsOf(Session& session,
                                                                absl::string_view project,
                                                                absl::string_view pull_request) {
  absl::StatusOr<Rows> rows = session.Query(
      "SELECT id, project, pull_request, commit_hash, run_id, author, source, created_us, start, "
      "note, CASE WHEN EXISTS (SELECT 1 FROM run WHERE run.project = rerun_request.project "
      "AND run.commit_hash = rerun_request.commit_hash AND run.rerun = 'is' "
      "AND run.id > rerun_request.run_id) THEN 1 ELSE 0 END "
      "FROM rerun_request WHERE project = $1 AND pull_request = $2 ORDER BY id",
      {project, pull_request});
  if (!rows.ok()) return rows.status();
  std::vector<RerunRequestRecord> records;
  for (const Row& row : *rows) {
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
  absl::StatusOr<Rows> rows =
      session.Query("UPDATE rerun_request SET start = $2, note = $3 WHERE id = $1 RETURNING id",
                    {id, NameOf(start), note});
  if (!rows.ok()) return rows.status();
  return rows->empty()
             ? absl::NotFoundError(absl::StrCat("no request to run again has the id ", id))
             : absl::OkStatus();
}

absl::StatusOr<int64_t> AddCulpritIn(Session& session, const CulpritRecord& record) {
  absl::StatusOr<Rows> rows = session.Query(
      "INSERT INTO culprit (culprit_key, project, target, function_name, caller, base_commit, "
      "head_commit, commit_hash, author, commit_date, subject, found_us) "
      "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) "
      "ON CONFLICT (culprit_key) DO UPDATE SET commit_hash = excluded.commit_hash, "
      "author = excluded.author, commit_date = excluded.commit_date, subject = excluded.subject, "
      "found_us = excluded.found_us RETURNING id",
      {KeyOf(record), record.project, record.target, record.function, record.caller,
       record.base_commit, record.head_commit, record.commit, record.author, record.date,
       record.subject, absl::ToUnixMicros(record.found)});
  if (!rows.ok()) return rows.status();
  if (rows->empty()) return absl::InternalError("a culprit that was put has gone");
  if (absl::Status status = WakeReports(session, record); !status.ok()) return status;
  return rows->front().Number(0);
}

absl::StatusOr<std::vector<CulpritRecord>> CulpritsOf(Session& session, absl::string_view project) {
  absl::StatusOr<Rows> rows = session.Query(
      "SELECT id, project, target, function_name, caller, base_commit, head_commit, commit_hash, "
      "author, commit_date, subject, found_us FROM culprit WHERE project = $1 "
      "ORDER BY found_us DESC, id DESC LIMIT $2",
      {project, kMostListed});
  if (!rows.ok()) return rows.status();
  std::vector<CulpritRecord> records;
  for (const Row& row : *rows) {
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
