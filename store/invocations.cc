#include "store/invocations.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "store/sql/database.h"
#include "store/sql/follow_up_rows.h"
#include "store/validation.h"

namespace gprofhub::store {

namespace {

using sql::Dialect;
using sql::Row;
using sql::Rows;
using sql::Session;

constexpr absl::string_view kInvocationColumns =
    "id, project, invocation_id, state, commit_hash, branch, pull_request, sender, started_us, "
    "ended_us, touched_us, last_sequence, stored_bytes, run_id, note, first_event, "
    "command_line, complete";

absl::string_view NameOf(InvocationState state) {
  switch (state) {
    case InvocationState::kRunning:
      return "running";
    case InvocationState::kEnded:
      return "ended";
    case InvocationState::kInterrupted:
      break;
  }
  return "interrupted";
}

InvocationState StateOf(absl::string_view name) {
  if (name == "running") return InvocationState::kRunning;
  return name == "ended" ? InvocationState::kEnded : InvocationState::kInterrupted;
}

InvocationRecord ToInvocation(const Row& row) {
  InvocationRecord record;
  record.id = row.Number(0);
  record.project = row.Text(1);
  record.invocation_id = row.Text(2);
  record.state = StateOf(row.Text(3));
  record.commit = row.Text(4);
  record.branch = row.Text(5);
  record.pull_request = row.Text(6);
  record.sender = row.Text(7);
  record.started = absl::FromUnixMicros(row.Number(8));
  record.ended = absl::FromUnixMicros(row.Number(9));
  record.touched = absl::FromUnixMicros(row.Number(10));
  record.last_sequence = row.Number(11);
  record.stored_bytes = static_cast<uint64_t>(row.Number(12));
  record.run_id = row.Number(13);
  record.note = row.Text(14);
  record.first_event = row.Text(15);
  record.command_line = row.Text(16);
  record.complete = row.Number(17) != 0;
  return record;
}

absl::StatusOr<std::vector<InvocationRecord>> ToRecords(const absl::StatusOr<Rows>& rows) {
  if (!rows.ok()) return rows.status();
  std::vector<InvocationRecord> records;
  for (const Row& row : *rows) records.push_back(ToInvocation(row));
  return records;
}

absl::Status AddSegment(Session& session, int64_t id, int64_t last_sequence,
                        absl::string_view records) {
  if (records.empty()) return absl::OkStatus();
  return session.Execute(
      "INSERT INTO invocation_segment (invocation, last_sequence, records) VALUES ($1, $2, $3)",
      {id, last_sequence, sql::Bytes{records}});
}

absl::StatusOr<Rows> FindByKey(Session& session, const InvocationRecord& record,
                               absl::string_view lock) {
  return session.Query(
      absl::StrCat("SELECT ", kInvocationColumns,
                   " FROM invocation WHERE project = $1 AND invocation_id = $2", lock),
      {record.project, record.invocation_id});
}

absl::Status CheckRoom(Session& session, absl::string_view project, uint32_t most_running) {
  ASSIGN_OR_RETURN(
      const Rows running,
      session.Query("SELECT count(*) FROM invocation WHERE project = $1 AND state = 'running'",
                    {project}));
  if (running.front().Number(0) < int64_t{most_running}) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat("project ", project, " has ",
                                                   running.front().Number(0),
                                                   " running invocations, which is its limit"));
}

absl::StatusOr<InvocationRecord> OpenIn(Session& session, const Dialect& dialect,
                                        const InvocationRecord& record, absl::string_view records,
                                        uint32_t most_running, absl::Time now) {
  ASSIGN_OR_RETURN(Rows found, FindByKey(session, record, dialect.for_update));
  if (found.empty() && record.first_event.empty()) {
    return absl::NotFoundError(
        absl::StrCat("project ", record.project, " has no invocation ", record.invocation_id));
  }
  if (found.empty()) {
    RETURN_IF_ERROR(CheckRoom(session, record.project, most_running));
    ASSIGN_OR_RETURN(
        Rows made,
        session.Query(
            absl::StrCat(
                "INSERT INTO invocation (project, invocation_id, state, commit_hash, branch, "
                "pull_request, sender, started_us, ended_us, touched_us, last_sequence, "
                "stored_bytes, run_id, note, first_event) "
                "VALUES ($1, $2, 'running', '', '', '', $3, $4, 0, $5, 0, $6, 0, '', $7) "
                "ON CONFLICT (project, invocation_id) DO NOTHING RETURNING ",
                kInvocationColumns),
            {record.project, record.invocation_id, record.sender,
             absl::ToUnixMicros(record.started), absl::ToUnixMicros(now),
             static_cast<int64_t>(records.size()), record.first_event}));
    if (!made.empty()) {
      const InvocationRecord opened = ToInvocation(made.front());
      RETURN_IF_ERROR(AddSegment(session, opened.id, 0, records));
      return opened;
    }
    // Another process was first.
    ASSIGN_OR_RETURN(found, FindByKey(session, record, dialect.for_update));
    if (found.empty()) return absl::InternalError("an invocation has disappeared");
  }
  InvocationRecord opened = ToInvocation(found.front());
  if (opened.state != InvocationState::kRunning || !IsSameBuild(opened, record)) return opened;
  opened.touched = now;
  RETURN_IF_ERROR(session.Execute("UPDATE invocation SET touched_us = $2 WHERE id = $1",
                                  {opened.id, absl::ToUnixMicros(now)}));
  return opened;
}

// Whether this process is still the owner.
absl::StatusOr<bool> AppendOne(Session& session, const InvocationSegment& segment, absl::Time now) {
  ASSIGN_OR_RETURN(
      const Rows updated,
      session.Query("UPDATE invocation SET last_sequence = $3, touched_us = $4, "
                    "stored_bytes = stored_bytes + $5, complete = $6 "
                    "WHERE id = $1 AND last_sequence = $2 AND state = 'running' RETURNING id",
                    {segment.id, segment.after, segment.last_sequence, absl::ToUnixMicros(now),
                     static_cast<int64_t>(segment.records.size()), int64_t{segment.complete}}));
  if (updated.empty()) return false;
  RETURN_IF_ERROR(AddSegment(session, segment.id, segment.last_sequence, segment.records));
  return true;
}

absl::Status FinishIn(Session& session, const Dialect& dialect, int64_t id, InvocationState state,
                      absl::Time now, absl::Time queued) {
  ASSIGN_OR_RETURN(const Rows found,
                   session.Query("SELECT run_id FROM invocation WHERE id = $1", {id}));
  if (found.empty()) return absl::OkStatus();
  const int64_t run_id = found.front().Number(0);
  // The transaction that ends the run's last analysis also takes this lock first, and then reads
  // our state.
  absl::Status status = sql::LockRunOfReport(session, dialect, run_id);
  if (!status.ok()) return status;
  ASSIGN_OR_RETURN(
      const Rows ended,
      session.Query("UPDATE invocation SET state = $2, ended_us = $3, stored_bytes = "
                    "(SELECT CAST(COALESCE(SUM(100 + octet_length(label) + octet_length(note) + "
                    "octet_length(log_end)), 0) "
                    "AS bigint) FROM invocation_target WHERE invocation = $1) "
                    "WHERE id = $1 AND state = 'running' RETURNING id",
                    {id, NameOf(state), absl::ToUnixMicros(now)}));
  if (ended.empty()) return absl::OkStatus();
  status = session.Execute("DELETE FROM invocation_segment WHERE invocation = $1", {id});
  if (!status.ok() || run_id == 0 || state == InvocationState::kInterrupted) return status;
  RETURN_IF_ERROR(sql::HurryJobs(session, run_id));
  return sql::QueueReport(session, run_id, queued);
}

absl::Status PutTargetsIn(Session& session, int64_t id,
                          const std::vector<InvocationTarget>& targets) {
  for (const InvocationTarget& target : targets) {
    RETURN_IF_ERROR(session.Execute(
        "INSERT INTO invocation_target "
        "(invocation, label, status, attempts, recorded, ended_us, started_us, duration_ms, note, "
        "log_end) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) "
        "ON CONFLICT (invocation, label) DO UPDATE SET status = excluded.status, "
        "attempts = excluded.attempts, recorded = excluded.recorded, "
        "ended_us = excluded.ended_us, started_us = excluded.started_us, "
        "duration_ms = excluded.duration_ms, note = excluded.note, log_end = excluded.log_end",
        {id, sql::CleanText(target.label, kMaxTextBytes),
         sql::CleanText(target.status, kMaxTextBytes), int64_t{target.attempts},
         int64_t{target.recorded}, absl::ToUnixMicros(target.ended),
         absl::ToUnixMicros(target.started), static_cast<int64_t>(target.duration_ms),
         sql::CleanText(target.note, kMaxTextBytes),
         sql::CleanText(target.log_end, InvocationTarget::kMostLogBytes)}));
  }
  return absl::OkStatus();
}

}  // namespace

bool IsSameBuild(const InvocationRecord& a, const InvocationRecord& b) {
  return a.first_event.empty() || b.first_event.empty() || a.first_event == b.first_event;
}

Invocations::Invocations(std::shared_ptr<sql::Database> database)
    : database_(std::move(database)) {}

Invocations Invocations::WithCheck(std::function<absl::Status()> check) const {
  return Invocations(sql::WithCheck(database_, std::move(check)));
}

absl::StatusOr<InvocationRecord> Invocations::Open(const InvocationRecord& record,
                                                   absl::string_view records, uint32_t most_running,
                                                   absl::Time now) const {
  RETURN_IF_ERROR(CheckKey("project", record.project));
  RETURN_IF_ERROR(CheckKey("invocation_id", record.invocation_id));
  RETURN_IF_ERROR(CheckText("sender", record.sender));
  RETURN_IF_ERROR(CheckText("first_event", record.first_event));
  return sql::WriteIn(*database_, [&](Session& session) {
    return OpenIn(session, database_->dialect(), record, records, most_running, now);
  });
}

absl::StatusOr<std::string> Invocations::ReadRecords(int64_t id) const {
  return sql::ReadIn(*database_, [&](Session& session) -> absl::StatusOr<std::string> {
    ASSIGN_OR_RETURN(
        const Rows rows,
        session.Query(
            "SELECT records FROM invocation_segment WHERE invocation = $1 ORDER BY last_sequence",
            {id}));
    std::string records;
    for (const Row& row : rows) records += row.Text(0);
    return records;
  });
}

absl::StatusOr<std::vector<absl::Status>> Invocations::Append(
    const std::vector<InvocationSegment>& segments, absl::Time now) const {
  return sql::WriteIn(
      *database_, [&](Session& session) -> absl::StatusOr<std::vector<absl::Status>> {
        std::vector<absl::Status> words;
        for (const InvocationSegment& segment : segments) {
          ASSIGN_OR_RETURN(const bool added, AppendOne(session, segment, now));
          words.push_back(added ? absl::OkStatus()
                                : absl::FailedPreconditionError(
                                      "another process has taken over this invocation"));
        }
        return words;
      });
}

absl::Status Invocations::Describe(int64_t id, absl::string_view commit, absl::string_view branch,
                                   absl::string_view pull_request) const {
  for (const absl::string_view text : {commit, branch, pull_request}) {
    RETURN_IF_ERROR(CheckText("invocation", text));
  }
  return database_->Write([&](Session& session) {
    return session.Execute(
        "UPDATE invocation SET commit_hash = $2, branch = $3, pull_request = $4 WHERE id = $1",
        {id, commit, branch, pull_request});
  });
}

absl::Status Invocations::SetCommandLine(int64_t id, absl::string_view command_line) const {
  const std::string clean = sql::CleanText(command_line, InvocationRecord::kMostCommandBytes);
  return database_->Write([&](Session& session) {
    return session.Execute("UPDATE invocation SET command_line = $2 WHERE id = $1", {id, clean});
  });
}

absl::Status Invocations::SetRun(int64_t id, int64_t run_id) const {
  return database_->Write([&](Session& session) {
    RETURN_IF_ERROR(sql::LockRunOfReport(session, database_->dialect(), run_id));
    const absl::StatusOr<Rows> set = session.Query(
        "UPDATE invocation SET run_id = $2 WHERE id = $1 AND run_id = 0 AND state = 'running' "
        "RETURNING id",
        {id, run_id});
    if (!set.ok() || set->empty()) return set.status();
    // An analysis may have been quicker than we are.
    return session.Execute("DELETE FROM report_job WHERE run_id = $1 AND state = 'pending'",
                           {run_id});
  });
}

absl::Status Invocations::PutTargets(int64_t id,
                                     const std::vector<InvocationTarget>& targets) const {
  if (targets.empty()) return absl::OkStatus();
  return database_->Write([&](Session& session) { return PutTargetsIn(session, id, targets); });
}

absl::Status Invocations::SetNote(int64_t id, absl::string_view note) const {
  const std::string clean = sql::CleanText(note, kMaxTextBytes);
  return database_->Write([&](Session& session) {
    return session.Execute("UPDATE invocation SET note = $2 WHERE id = $1", {id, clean});
  });
}

absl::Status Invocations::Finish(int64_t id, InvocationState state, absl::Time now) const {
  const absl::Time queued = now + database_->ClockSkew();
  return database_->Write([&](Session& session) {
    return FinishIn(session, database_->dialect(), id, state, now, queued);
  });
}

absl::StatusOr<std::vector<InvocationRecord>> Invocations::ListSilent(absl::Time complete_before,
                                                                      absl::Time incomplete_before,
                                                                      uint32_t limit) const {
  return sql::ReadIn(*database_, [&](Session& session) {
    return ToRecords(session.Query(
        absl::StrCat("SELECT ", kInvocationColumns,
                     " FROM (SELECT invocation.*, ROW_NUMBER() OVER "
                     "(PARTITION BY project, complete ORDER BY touched_us, id) AS turn "
                     "FROM invocation WHERE state = 'running' AND touched_us < "
                     "CASE WHEN complete = 1 THEN CAST($1 AS bigint) ELSE CAST($2 AS bigint) END) "
                     "AS silent ORDER BY complete DESC, turn, touched_us, id LIMIT $3"),
        {absl::ToUnixMicros(complete_before), absl::ToUnixMicros(incomplete_before),
         int64_t{limit}}));
  });
}

absl::StatusOr<bool> Invocations::TakeOver(const InvocationRecord& silent, absl::Time now) const {
  return sql::WriteIn(*database_, [&](Session& session) -> absl::StatusOr<bool> {
    ASSIGN_OR_RETURN(
        const Rows taken,
        session.Query("UPDATE invocation SET touched_us = $3 WHERE id = $1 AND touched_us = $2 "
                      "AND state = 'running' RETURNING id",
                      {silent.id, absl::ToUnixMicros(silent.touched), absl::ToUnixMicros(now)}));
    return !taken.empty();
  });
}

absl::Status Invocations::Touch(const std::vector<int64_t>& ids, absl::Time now) const {
  if (ids.empty()) return absl::OkStatus();
  return database_->Write([&](Session& session) {
    for (const int64_t id : ids) {
      RETURN_IF_ERROR(
          session.Execute("UPDATE invocation SET touched_us = $2 WHERE id = $1 AND touched_us < $2",
                          {id, absl::ToUnixMicros(now)}));
    }
    return absl::OkStatus();
  });
}

absl::StatusOr<std::vector<InvocationRecord>> Invocations::Find(
    absl::string_view invocation_id) const {
  RETURN_IF_ERROR(CheckKey("invocation_id", invocation_id));
  return sql::ReadIn(*database_, [&](Session& session) {
    return ToRecords(session.Query(
        absl::StrCat("SELECT ", kInvocationColumns,
                     " FROM invocation WHERE invocation_id = $1 ORDER BY id DESC LIMIT 100"),
        {invocation_id}));
  });
}

absl::StatusOr<std::vector<InvocationRecord>> Invocations::List(absl::string_view project,
                                                                uint32_t limit) const {
  RETURN_IF_ERROR(CheckKey("project", project));
  return sql::ReadIn(*database_, [&](Session& session) {
    return ToRecords(
        session.Query(absl::StrCat("SELECT ", kInvocationColumns,
                                   " FROM invocation WHERE project = $1 ORDER BY id DESC LIMIT $2"),
                      {project, int64_t{limit}}));
  });
}

absl::StatusOr<std::vector<std::string>> Invocations::ListOfRun(int64_t run_id,
                                                                uint32_t limit) const {
  return sql::ReadIn(*database_, [&](Session& session) -> absl::StatusOr<std::vector<std::string>> {
    ASSIGN_OR_RETURN(const Rows rows,
                     session.Query("SELECT invocation_id FROM invocation WHERE run_id = $1 "
                                   "AND run_id <> 0 ORDER BY id DESC LIMIT $2",
                                   {run_id, int64_t{limit}}));
    std::vector<std::string> ids;
    for (const Row& row : rows) ids.push_back(row.Text(0));
    return ids;
  });
}

absl::StatusOr<std::vector<InvocationTarget>> Invocations::ListTargets(int64_t id) const {
  return sql::ReadIn(
      *database_, [&](Session& session) -> absl::StatusOr<std::vector<InvocationTarget>> {
        ASSIGN_OR_RETURN(
            const Rows rows,
            session.Query("SELECT label, status, attempts, recorded, ended_us, note, log_end, "
                          "started_us, duration_ms "
                          "FROM invocation_target "
                          "WHERE invocation = $1 ORDER BY label",
                          {id}));
        std::vector<InvocationTarget> targets;
        for (const Row& row : rows) {
          InvocationTarget target;
          target.label = row.Text(0);
          target.status = row.Text(1);
          target.attempts = static_cast<uint32_t>(row.Number(2));
          target.recorded = static_cast<uint32_t>(row.Number(3));
          target.ended = absl::FromUnixMicros(row.Number(4));
          target.note = row.Text(5);
          target.started = absl::FromUnixMicros(row.Number(7));
          target.duration_ms = static_cast<uint64_t>(row.Number(8));
          target.log_end = row.Text(6);
          targets.push_back(std::move(target));
        }
        return targets;
      });
}

absl::StatusOr<std::vector<KeptLog>> Invocations::ListLogs(int64_t run_id) const {
  return sql::ReadIn(*database_, [&](Session& session) -> absl::StatusOr<std::vector<KeptLog>> {
    // The run is not 0: as the index has it.
    ASSIGN_OR_RETURN(
        const Rows rows,
        session.Query("SELECT invocation_target.label, invocation.invocation_id FROM invocation "
                      "JOIN invocation_target ON invocation_target.invocation = invocation.id "
                      "WHERE invocation.run_id = $1 AND invocation.run_id <> 0 "
                      "AND invocation_target.log_end <> '' ORDER BY invocation_target.label, "
                      "invocation.id DESC",
                      {run_id}));
    std::vector<KeptLog> logs;
    for (const Row& row : rows) {
      if (logs.empty() || logs.back().label != row.Text(0)) {
        logs.push_back({row.Text(0), row.Text(1)});
      }
    }
    return logs;
  });
}

absl::StatusOr<int64_t> Invocations::RemoveOld(absl::Time before, uint32_t limit) const {
  return sql::WriteIn(*database_, [&](Session& session) -> absl::StatusOr<int64_t> {
    ASSIGN_OR_RETURN(
        const Rows gone,
        session.Query(
            "DELETE FROM invocation WHERE id IN (SELECT id FROM invocation "
            "WHERE started_us < $1 AND state <> 'running' ORDER BY started_us, id LIMIT $2) "
            "RETURNING id",
            {absl::ToUnixMicros(before), int64_t{limit}}));
    return static_cast<int64_t>(gone.size());
  });
}

}  // namespace gprofhub::store
