// Numbers that the database keeps about itself: one row each.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/sql/database.h"

namespace gprofhub::store::sql {

// Start of the last successful backup, in microseconds since the Unix epoch.
inline constexpr absl::string_view kLastBackup = "last_backup_us";
// Lease of a running backup, which reads blobs: until then none may be removed.
inline constexpr absl::string_view kBackupLease = "backup_lease_us";

// The last target id whose blobs were delta-encoded (store/packing/packing.h).
inline constexpr absl::string_view kPackedTarget = "packed_target";
// Identity of the store's cold storage; 0: none (store/shelving/shelf_name.h).
inline constexpr absl::string_view kShelf = "shelf";
// 1: the store was restored from a backup, and the original store may still write to cold storage.
inline constexpr absl::string_view kShelfIsOthers = "shelf_is_others";
// The last target id whose blobs were moved to cold storage (store/shelving/shelving.h).
inline constexpr absl::string_view kShelvedTarget = "shelved_target";
// Time of the last housekeeping (store/upkeep/turns.h).
inline constexpr absl::string_view kHousekeeping = "housekeeping_us";

// Last heartbeat of a process of this store (store/condition/condition.h).
inline constexpr absl::string_view kBeat = "beat_us";

// 0 if it was never set.
absl::StatusOr<int64_t> ReadProperty(Session& session, absl::string_view name);

absl::Status SetProperty(Session& session, absl::string_view name, int64_t value);

}  // namespace gprofhub::store::sql
