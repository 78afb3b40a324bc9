#include "store/sql/claims.h"

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace gprofhub::store::sql {

absl::Status ExtendLease(Session& session, const Claim& claim, absl::Time until,
                         const absl::Status& lost) {
  absl::StatusOr<Rows> rows = session.Query(
      absl::StrCat("UPDATE ", claim.table,
                   " SET lease_until_us = $5 WHERE id = $1 AND state = 'leased' AND worker = $2 "
                   "AND attempts = $3 AND claimed_generation = $4 RETURNING id"),
      {claim.job_id, claim.worker, int64_t{claim.attempts}, claim.generation,
       absl::ToUnixMicros(until)});
  if (!rows.ok()) return rows.status();
  return rows->empty() ? lost : absl::OkStatus();
}

absl::Status FutureLeases::EndSometimes(Session& session, absl::string_view table, absl::Time now) {
  const int64_t now_us = absl::ToUnixMicros(now);
  const int64_t before = looked_us_;
  const int64_t ago = now_us - before;
  if (before != 0 && ago >= 0 && ago < absl::ToInt64Microseconds(kLookEvery)) {
    return absl::OkStatus();
  }
  looked_us_ = now_us;
  // Both literals: the queues' indexes are partial on these two states, and SQLite matches them
  // literally.
  return session.Execute(
      absl::StrCat("UPDATE ", table,
                   " SET lease_until_us = $1 WHERE state IN ('pending', 'leased') "
                   "AND state = 'leased' AND lease_until_us > $2"),
      {absl::ToUnixMicros(now), absl::ToUnixMicros(now + absl::Hours(24))});
}

}  // namespace gprofhub::store::sql
