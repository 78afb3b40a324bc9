// Numeric properties of the database itself: one row each.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/sql/database.h"

namespace gprofhub::store::sql {

// When the last backup that was found good was begun, in microseconds since the Unix epoch.
inline constexpr absl::string_view kLastBackup = "last_backup_us";
// End of a backup's lease: until then no blob may be removed.
inline constexpr absl::string_view kBackupLease = "backup_lease_us";

// Up to which target's id blobs were packed (store/packing/packing.h).
inline constexpr absl::string_view kPackedTarget = "packed_target";
// Number of the store's archive; 0: none (store/shelving/shelf_name.h).
inline constexpr absl::string_view kShelf = "shelf";
// 1: the store was restored from a backup, and its original may still use the archive.
inline constexpr absl::string_view kShelfIsOthers = "shelf_is_others";
// Archiving progress: the highest target id done (store/shelving/shelving.h).
inline constexpr absl::string_view kShelvedTarget = "shelved_target";
// Time of the last housekeeping by any process (store/upkeep/turns.h).
inline constexpr absl::string_view kHousekeeping = "housekeeping_us";

// Time of the last heartbeat of this store (store/condition/condition.h).
inline constexpr absl::string_view kBeat = "beat_us";

// 0 if it was never set.
absl::StatusOr<int64_t> ReadProperty(Session& session, absl::string_view name);

absl::Status SetProperty(Session& session, absl::string_view name, int64_t value);

}  // namespace gprofhub::store::sql
