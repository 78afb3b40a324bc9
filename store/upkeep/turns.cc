#include "store/upkeep/turns.h"

#include <cstdint>
#include <utility>

#include "store/sql/database.h"
#include "store/sql/properties.h"
#include "store/sql/transaction.h"

namespace gprofhub::store {

Turns::Turns(std::shared_ptr<sql::Database> database) : database_(std::move(database)) {}

absl::StatusOr<bool> Turns::TakeHousekeeping(absl::Time now, absl::Duration every) const {
  return sql::WriteIn(*database_, [&](sql::Session& session) -> absl::StatusOr<bool> {
    // One statement, so that of two processes one waits for the other, and then finds it done.
    const absl::StatusOr<sql::Rows> taken = session.Query(
        "INSERT INTO property (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE "
        "SET value = excluded.value WHERE property.value <= $3 RETURNING 1",
        {sql::kHousekeeping, absl::ToUnixMicros(now), absl::ToUnixMicros(now - every)});
    if (!taken.ok()) return taken.status();
    return !taken->empty();
  });
}

}  // namespace gprofhub::store
