#include "store/upkeep/backups.h"

#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "store/sql/audit_rows.h"
#include "store/sql/database.h"
#include "store/sql/properties.h"
#include "store/sql/transaction.h"

namespace gprofhub::store {

Backups::Backups(std::shared_ptr<sql::Database> database) : database_(std::move(database)) {}

absl::StatusOr<absl::Time> Backups::Last() const {
  const absl::StatusOr<int64_t> last = sql::ReadIn(*database_, [](sql::Session& session) {
    return sql::ReadProperty(session, sql::kLastBackup);
  });
  if (!last.ok()) return last.status();
  return *last == 0 ? absl::InfinitePast() : absl::FromUnixMicros(*last);
}

absl::Status Backups::RecordGood(absl::Time begun, absl::string_view place, const Actor& by,
                                 absl::Time now) const {
  return database_->Write([&](sql::Session& session) {
    absl::Status status = sql::SetProperty(session, sql::kLastBackup, absl::ToUnixMicros(begun));
    if (!status.ok()) return status;
    const std::string detail =
        absl::StrCat("as of ", absl::FormatTime(absl::RFC3339_sec, begun, absl::UTCTimeZone()));
    return sql::AddAuditRow(session, by, {"", "store.backup", place, detail}, now);
  });
}

}  // namespace gprofhub::store
