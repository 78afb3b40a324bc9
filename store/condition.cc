#include "store/condition.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "store/sql/database.h"
#include "store/sql/engine.h"

namespace gprofhub::store {

namespace {

using sql::Row;
using sql::Rows;
using sql::Session;

// One queue's table. All have state, lease_until_us and id.
struct Queue {
  absl::string_view kind;
  absl::string_view table;
  absl::string_view since;    // the column with the time since when a row waits
  absl::string_view taken;    // the join from its row to its project: a column
  absl::string_view joined;   // and tables
  absl::string_view project;  // then the project
};

constexpr Queue kQueues[] = {
    {"analysis", "job", "queued_us", "target_id",
     "JOIN target ON target.id = waiting.target_id JOIN run ON run.id = target.run_id",
     "run.project"},
    {"report", "report_job", "due_us", "run_id", "JOIN run ON run.id = waiting.run_id",
     "run.project"},
    {"notification", "notification", "due_us", "project", "", "waiting.project"},
};

// Rows of it that wait at $1, longest first.
std::string Waiting(const Queue& queue, absl::string_view columns) {
  return absl::StrCat("SELECT ", columns, " FROM ", queue.table,
                      " WHERE state IN ('pending', 'leased') AND lease_until_us <= $1 AND ",
                      queue.since, " <= $1 ORDER BY ", queue.since, ", id LIMIT ");
}

absl::Status Count(Session& session, const Queue& queue, int64_t now, QueueCondition& condition) {
  ASSIGN_OR_RETURN(Rows counts,
                   session.Query(absl::StrCat("SELECT COUNT(*), "
                                              "COUNT(CASE WHEN lease_until_us > $1 THEN 1 END), "
                                              "COUNT(CASE WHEN lease_until_us <= $1 AND ",
                                              queue.since, " > $1 THEN 1 END) FROM ", queue.table,
                                              " WHERE state IN ('pending', 'leased')"),
                                 {now}));
  ASSIGN_OR_RETURN(Rows failed, session.Query(absl::StrCat("SELECT COUNT(*) FROM ", queue.table,
                                                           " WHERE state = 'failed'"),
                                              {}));
  const Row& row = counts.front();
  condition.running = static_cast<uint64_t>(row.Number(1));
  condition.later = static_cast<uint64_t>(row.Number(2));
  condition.waiting = static_cast<uint64_t>(row.Number(0)) - condition.running - condition.later;
  condition.failed = static_cast<uint64_t>(failed.front().Number(0));
  return absl::OkStatus();
}

absl::Status FindOldest(Session& session, const Queue& queue, int64_t now,
                        QueueCondition& condition) {
  ASSIGN_OR_RETURN(
      Rows oldest,
      session.Query(absl::StrCat(Waiting(queue, absl::StrCat("id, ", queue.since)), 1), {now}));
  if (oldest.empty()) return absl::OkStatus();
  condition.oldest_id = oldest.front().Number(0);
  condition.oldest = absl::FromUnixMicros(oldest.front().Number(1));
  ASSIGN_OR_RETURN(
      Rows projects,
      session.Query(
          absl::StrCat("SELECT ", queue.project, ", COUNT(*), MIN(waiting.", queue.since,
                       ") FROM (", Waiting(queue, absl::StrCat(queue.taken, ", ", queue.since)),
                       QueueCondition::kLooked, ") AS waiting ", queue.joined, " GROUP BY ",
                       queue.project, " ORDER BY 2 DESC, 1 LIMIT ", QueueCondition::kProjects),
          {now}));
  for (const Row& row : projects) {
    condition.projects.push_back(
        {row.Text(0), static_cast<uint64_t>(row.Number(1)), absl::FromUnixMicros(row.Number(2))});
  }
  return absl::OkStatus();
}

}  // namespace

Condition::Condition(std::shared_ptr<sql::Database> database) : database_(std::move(database)) {}

absl::Status Condition::Check() const { return database_->Check(); }

sql::Connections Condition::connections() const { return database_->connections(); }

std::string Condition::folder() const { return database_->folder(); }

absl::StatusOr<std::vector<QueueCondition>> Condition::ReadQueues(absl::Time now) const {
  return sql::ReadIn(*database_,
                     [now](Session& session) -> absl::StatusOr<std::vector<QueueCondition>> {
                       std::vector<QueueCondition> conditions;
                       for (const Queue& queue : kQueues) {
                         QueueCondition& condition = conditions.emplace_back();
                         condition.kind = queue.kind;
                         const int64_t now_us = absl::ToUnixMicros(now);
                         RETURN_IF_ERROR(Count(session, queue, now_us, condition));
                         RETURN_IF_ERROR(FindOldest(session, queue, now_us, condition));
                       }
                       return conditions;
                     });
}

absl::Status Condition::Beat(absl::Time now, absl::Duration every) const {
  ASSIGN_OR_RETURN(const absl::Duration age, ReadBeatAge(now));
  if (age < every) return absl::OkStatus();
  const int64_t us = absl::ToUnixMicros(now + database_->ClockSkew());
  return database_->Write(
      [us](Session& session) { return sql::SetProperty(session, sql::kBeat, us); });
}

absl::StatusOr<absl::Duration> Condition::ReadBeatAge(absl::Time now) const {
  ASSIGN_OR_RETURN(const int64_t beat, sql::ReadIn(*database_, [](Session& session) {
                     return sql::ReadProperty(session, sql::kBeat);
                   }));
  if (beat == 0) return absl::InfiniteDuration();
  const absl::Duration age = now + database_->ClockSkew() - absl::FromUnixMicros(beat);
  return std::max(age, absl::ZeroDuration());
}

absl::StatusOr<absl::Time> Condition::ReadLastBackup() const {
  ASSIGN_OR_RETURN(const int64_t begun, sql::ReadIn(*database_, [](Session& session) {
                     return sql::ReadProperty(session, sql::kLastBackup);
                   }));
  return begun == 0 ? absl::InfinitePast() : absl::FromUnixMicros(begun);
}

}  // namespace gprofhub::store
