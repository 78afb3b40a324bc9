#include "store/notifications.h"

#include <cstdint>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "store/sql/database.h"
#include "store/sql/engine.h"
#include "store/validation.h"

namespace gprofhub::store {

namespace {

using sql::Dialect;
using sql::Row;
using sql::Rows;
using sql::Session;

constexpr char kNotificationColumns[] =
    "id, notification_key, channel, project, series, content, told, reference, opened_us, "
    "changed_us, attempts, generation, worker, request";

NotificationRecord ToNotification(const Row& row) {
  NotificationRecord record;
  record.id = row.Number(0);
  record.key = row.Text(1);
  record.channel = row.Text(2);
  record.project = row.Text(3);
  record.series = row.Text(4);
  record.content = row.Text(5);
  record.told = row.Text(6);
  record.reference = row.Text(7);
  record.opened = absl::FromUnixMicros(row.Number(8));
  record.changed = absl::FromUnixMicros(row.Number(9));
  record.attempts = static_cast<uint32_t>(row.Number(10));
  record.generation = row.Number(11);
  record.worker = row.Text(12);
  record.request = row.Text(13);
  return record;
}

absl::Status LostClaim(const NotificationRecord& record) {
  return absl::FailedPreconditionError(absl::StrCat("notification ", record.id,
                                                    " is no longer leased by worker '",
                                                    record.worker, "': its lease expired"));
}

absl::Status PutIn(Session& session, const NotificationRecord& record, bool deliver,
                   absl::Time now) {
  return session.Execute(
      "INSERT INTO notification (notification_key, channel, project, series, content, state, "
      "opened_us, changed_us, due_us, generation, request) "
      "VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $7, 1, $8) "
      "ON CONFLICT (notification_key, channel) DO UPDATE SET content = excluded.content, "
      "generation = notification.generation + 1, changed_us = excluded.changed_us, "
      "due_us = excluded.due_us, request = excluded.request, "
      "state = CASE WHEN notification.state = 'leased' THEN 'leased' ELSE excluded.state END "
      "WHERE notification.content <> excluded.content",
      {record.key, record.channel, record.project, record.series, record.content,
       absl::string_view(deliver ? "pending" : "done"), absl::ToUnixMicros(now), record.request});
}

absl::StatusOr<std::optional<NotificationRecord>> ClaimIn(sql::FutureLeases& future_leases,
                                                          Session& session, const Dialect& dialect,
                                                          absl::string_view channel,
                                                          absl::string_view worker, absl::Time now,
                                                          absl::Duration lease) {
  ASSIGN_OR_RETURN(
      Rows found,
      session.Query(absl::StrCat("SELECT id FROM notification WHERE state IN ('pending', 'leased') "
                                 "AND channel = $2 AND due_us <= $1 AND lease_until_us <= $1 "
                                 "ORDER BY due_us, id LIMIT 1",
                                 dialect.for_update_skip_locked),
                    {absl::ToUnixMicros(now), channel}));
  if (found.empty()) {
    ASSIGN_OR_RETURN(const bool looked, future_leases.EndSometimes(session, "notification", now));
    // A new one is due at once. A clock that was ahead has made it due in the future.
    if (looked) {
      RETURN_IF_ERROR(session.Execute(
          "UPDATE notification SET due_us = $1 WHERE state IN ('pending', 'leased') "
          "AND generation > claimed_generation AND due_us > $2",
          {absl::ToUnixMicros(now), absl::ToUnixMicros(now + kClockSkew)}));
    }
    return std::nullopt;
  }
  ASSIGN_OR_RETURN(
      Rows claimed,
      session.Query(
          absl::StrCat(
              "UPDATE notification SET state = 'leased', worker = $2, lease_until_us = $3, "
              "attempts = CASE WHEN generation > claimed_generation THEN 1 "
              "ELSE attempts + 1 END, "
              "claimed_generation = generation WHERE id = $1 RETURNING ",
              kNotificationColumns),
          {found.front().Number(0), worker, absl::ToUnixMicros(now + lease)}));
  if (claimed.empty()) return absl::InternalError("a notification has disappeared");
  return ToNotification(claimed.front());
}

absl::string_view StateAfter(NotificationOutcome::Kind kind) {
  switch (kind) {
    case NotificationOutcome::Kind::kTold:
    case NotificationOutcome::Kind::kNothingToTell:
      return "done";
    case NotificationOutcome::Kind::kFailed:
      return "failed";
    case NotificationOutcome::Kind::kAgain:
      return "pending";
  }
  return "failed";
}

absl::Status FinishIn(Session& session, const NotificationRecord& claimed,
                      const NotificationOutcome& outcome, absl::Time now) {
  using Kind = NotificationOutcome::Kind;
  const bool told = outcome.kind == Kind::kTold;
  ASSIGN_OR_RETURN(
      Rows rows,
      session.Query(
          "UPDATE notification SET "
          "state = CASE WHEN generation > claimed_generation THEN 'pending' ELSE $5 END, "
          "due_us = CASE WHEN generation > claimed_generation THEN due_us ELSE $6 END, "
          "note = $7, told = $8, reference = $9, lease_until_us = 0, worker = '' "
          "WHERE id = $1 AND state = 'leased' "
          "AND worker = $2 AND attempts = $3 AND claimed_generation = $4 RETURNING id",
          {claimed.id, claimed.worker, int64_t{claimed.attempts}, claimed.generation,
           StateAfter(outcome.kind),
           absl::ToUnixMicros(outcome.kind == Kind::kAgain ? outcome.due : now), outcome.note,
           told ? claimed.content : claimed.told, told ? outcome.reference : claimed.reference}));
  return rows.empty() ? LostClaim(claimed) : absl::OkStatus();
}

}  // namespace

Notifications::Notifications(std::shared_ptr<sql::Database> database)
    : database_(std::move(database)), future_leases_(std::make_shared<sql::FutureLeases>()) {}

absl::Status Notifications::Put(const std::vector<NotificationRecord>& records, bool deliver,
                                absl::Time now) const {
  // All writers take their locks in the order of the keys. So no two of them wait for each other.
  std::map<std::pair<std::string, std::string>, const NotificationRecord*> by_key;
  for (const NotificationRecord& record : records) {
    RETURN_IF_ERROR(CheckNotification(record));
    by_key.emplace(std::pair(record.key, record.channel), &record);
  }
  now += database_->ClockSkew();
  return database_->Write([&](Session& session) {
    for (const auto& [key, record] : by_key) {
      RETURN_IF_ERROR(PutIn(session, *record, deliver, now));
    }
    return absl::OkStatus();
  });
}

absl::StatusOr<std::optional<NotificationRecord>> Notifications::Claim(absl::string_view channel,
                                                                       absl::string_view worker,
                                                                       absl::Time now,
                                                                       absl::Duration lease) const {
  RETURN_IF_ERROR(CheckKey("channel", channel));
  RETURN_IF_ERROR(CheckKey("worker", worker));
  now += database_->ClockSkew();
  return sql::WriteIn(*database_, [&](Session& session) {
    return ClaimIn(*future_leases_, session, database_->dialect(), channel, worker, now, lease);
  });
}

absl::Status Notifications::DropOthers(const std::vector<std::string>& channels) const {
  for (const std::string& channel : channels) {
    RETURN_IF_ERROR(CheckKey("channel", channel));
  }
  const std::string list = sql::JsonColumn(channels);
  return database_->Write([&](Session& session) {
    return session.Execute(
        absl::StrCat("UPDATE notification SET state = 'done', "
                     "note = 'there is no such channel any more' "
                     "WHERE state IN ('pending', 'leased') AND state = 'pending' "
                     "AND channel NOT IN (SELECT item ->> 0 FROM ",
                     database_->dialect().list, ")"),
        {list});
  });
}

absl::Status Notifications::ExtendLease(const NotificationRecord& claimed, absl::Time now,
                                        absl::Duration lease) const {
  RETURN_IF_ERROR(CheckKey("worker", claimed.worker));
  const sql::Claim claim = {"notification", claimed.id, claimed.worker, claimed.attempts,
                            claimed.generation};
  now += database_->ClockSkew();
  return database_->Write([&](Session& session) {
    return sql::ExtendLease(session, claim, now + lease, LostClaim(claimed));
  });
}

absl::Status Notifications::Finish(const NotificationRecord& claimed,
                                   const NotificationOutcome& outcome, absl::Time now) const {
  RETURN_IF_ERROR(CheckKey("worker", claimed.worker));
  NotificationOutcome clean = outcome;
  clean.note = sql::CleanText(outcome.note, kMaxMessageBytes);
  clean.reference = sql::CleanText(outcome.reference, kMaxTextBytes);
  const absl::Duration skew = database_->ClockSkew();
  clean.due += skew;
  now += skew;
  return database_->Write([&](Session& session) { return FinishIn(session, claimed, clean, now); });
}

absl::StatusOr<std::vector<NotificationRecord>> Notifications::List(
    absl::string_view project) const {
  RETURN_IF_ERROR(CheckKey("project", project));
  return sql::ReadIn(
      *database_, [&](Session& session) -> absl::StatusOr<std::vector<NotificationRecord>> {
        ASSIGN_OR_RETURN(
            Rows rows,
            session.Query(absl::StrCat("SELECT ", kNotificationColumns,
                                       " FROM notification WHERE project = $1 ORDER BY id"),
                          {project}));
        std::vector<NotificationRecord> records;
        for (const Row& row : rows) records.push_back(ToNotification(row));
        return records;
      });
}

absl::StatusOr<std::vector<std::string>> Notifications::ListProjects() const {
  return sql::ReadIn(*database_, [&](Session& session) -> absl::StatusOr<std::vector<std::string>> {
    ASSIGN_OR_RETURN(
        Rows rows, session.Query("SELECT DISTINCT project FROM notification ORDER BY project", {}));
    std::vector<std::string> projects;
    for (const Row& row : rows) projects.push_back(row.Text(0));
    return projects;
  });
}

}  // namespace gprofhub::store
