// Numeric properties of the database itself: one row each.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/sql/database.h"

namespace gprofhub::store::sql {

// Start of the last successful backup, in microseconds since the Unix epoch.
inline constexpr absl::string_view kLastBackup = "last_backup_us";
// End of a backup's lease: until then no blob may be removed.
inline constexpr absl::string_view kBackupLease = "backup_lease_us";

// The last target whose blobs were delta-encoded (store/delta/delta_encoding.h).
inline constexpr absl::string_view kDeltaTarget = "delta_target";
// Number of the store's archive; 0: none (store/archive/archive_owner.h).
inline constexpr absl::string_view kArchive = "archive";
// 1: the store was restored from a backup, and its original may still use the archive.
inline constexpr absl::string_view kArchiveTakeoverPending = "archive_takeover_pending";
// The last target whose blobs were archived (store/archive/archiving.h).
inline constexpr absl::string_view kArchivedTarget = "archived_target";
// Time of the last housekeeping by any process (store/upkeep/turns.h).
inline constexpr absl::string_view kHousekeeping = "housekeeping_us";

// Time of the last heartbeat of this store (store/condition/condition.h).
inline constexpr absl::string_view kBeat = "beat_us";

// 0 if it was never set.
absl::StatusOr<int64_t> ReadProperty(Session& session, absl::string_view name);

absl::Status SetProperty(Session& session, absl::string_view name, int64_t value);

}  // namespace gprofhub::store::sql
