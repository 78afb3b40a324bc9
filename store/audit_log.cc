#include "store/audit_log.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "store/sql/audit_rows.h"
#include "store/sql/database.h"
#include "store/sql/transaction.h"
#include "store/validation.h"

namespace gprofhub::store {
namespace {

using sql::Row;
using sql::Rows;
using sql::Session;

absl::StatusOr<std::vector<AuditRecord>> ListIn(Session& session, const AuditFilter& filter) {
  const int64_t since =
      filter.since == absl::InfinitePast() ? INT64_MIN : absl::ToUnixMicros(filter.since);
  absl::StatusOr<Rows> rows = session.Query(
      "SELECT id, time_us, project, actor, origin, action, subject, detail FROM audit "
      "WHERE time_us >= $1 AND (project = $2 OR $2 = '') ORDER BY time_us DESC, id DESC LIMIT $3",
      {since, filter.project, int64_t{filter.limit}});
  if (!rows.ok()) return rows.status();
  std::vector<AuditRecord> records;
  for (const Row& row : *rows) {
    records.push_back({row.Number(0), absl::FromUnixMicros(row.Number(1)), row.Text(2), row.Text(3),
                       row.Text(4), row.Text(5), row.Text(6), row.Text(7)});
  }
  std::reverse(records.begin(), records.end());
  return records;
}

}  // namespace

AuditLog::AuditLog(std::shared_ptr<sql::Database> database) : database_(std::move(database)) {}

absl::Status AuditLog::Add(const std::vector<AuditRecord>& records) const {
  return database_->Write([&](Session& session) {
    for (const AuditRecord& record : records) {
      const Actor actor = {record.actor, record.origin, 0};
      const sql::Deed deed = {record.project, record.action, record.subject, record.detail};
      absl::Status status = sql::AddAuditRow(session, actor, deed, record.time);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  });
}

absl::StatusOr<std::vector<AuditRecord>> AuditLog::List(const AuditFilter& filter) const {
  if (absl::Status status = CheckText("filter.project", filter.project); !status.ok()) {
    return status;
  }
  return sql::ReadIn(*database_, [&](Session& session) { return ListIn(session, filter); });
}

}  // namespace gprofhub::store
