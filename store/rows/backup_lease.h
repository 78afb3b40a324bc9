// While a backup reads blobs, nobody removes any.
#pragma once

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "store/sql/database.h"

namespace gprofhub::store {

// How long a backup that says nothing more holds garbage collection off.
inline constexpr absl::Duration kBackupLeaseTime = absl::Minutes(2);

// Blobs stay until kBackupLeaseTime after `now`, or longer if another backup said so.
absl::Status HoldBlobs(sql::Database& database, absl::Time now);

// UNAVAILABLE, saying until when, if a backup is being made. To be called in the transaction that
// removes the rows of blobs.
absl::Status CheckNoBackup(sql::Session& session, absl::Time now);

}  // namespace gprofhub::store
