#include "store/rows/backup_lease.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "store/sql/properties.h"

namespace gprofhub::store {

absl::Status HoldBlobs(sql::Database& database, absl::Time now) {
  const int64_t until = absl::ToUnixMicros(now + kBackupLeaseTime);
  return database.Write([&](sql::Session& session) {
    const absl::StatusOr<int64_t> held = sql::ReadProperty(session, sql::kBackupLease);
    if (!held.ok()) return held.status();
    if (*held >= until) return absl::OkStatus();
    return sql::SetProperty(session, sql::kBackupLease, until);
  });
}

absl::Status CheckNoBackup(sql::Session& session, absl::Time now) {
  const absl::StatusOr<int64_t> held = sql::ReadProperty(session, sql::kBackupLease);
  if (!held.ok()) return held.status();
  if (*held <= absl::ToUnixMicros(now)) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat(
      "a backup is being made: no blob is removed until ",
      absl::FormatTime(absl::RFC3339_sec, absl::FromUnixMicros(*held), absl::UTCTimeZone()),
      "; try again then"));
}

}  // namespace gprofhub::store
