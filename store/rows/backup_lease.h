// Lease that keeps blobs from being removed while a backup reads them.
#pragma once

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "store/sql/database.h"

namespace gprofhub::store {

// Duration of a backup's lease: without a renewal, garbage collection resumes after it.
inline constexpr absl::Duration kBackupLeaseTime = absl::Minutes(2);

// Blobs stay until kBackupLeaseTime after `now`, or longer if another backup's lease ends later.
absl::Status HoldBlobs(sql::Database& database, absl::Time now);

// UNAVAILABLE, with the end of the lease, if a backup is running. Call it in the transaction that
// removes rows of blobs.
absl::Status CheckNoBackup(sql::Session& session, absl::Time now);

}  // namespace gprofhub::store
