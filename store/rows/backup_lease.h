// Lease of a backup, which protects blobs from removal.
#pragma once

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "store/sql/database.h"

namespace gprofhub::store {

// Duration of the lease: a backup that ended without notice blocks garbage collection for this
// time.
inline constexpr absl::Duration kBackupLeaseTime = absl::Minutes(2);

// Extends the lease to kBackupLeaseTime after `now`, unless it is longer already.
absl::Status HoldBlobs(sql::Database& database, absl::Time now);

// UNAVAILABLE, with the end of the lease, if a backup is running. Call it in the transaction that
// removes rows of blobs.
absl::Status CheckNoBackup(sql::Session& session, absl::Time now);

}  // namespace gprofhub::store
