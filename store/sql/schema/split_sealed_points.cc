#include "store/sql/schema/split_sealed_points.h"

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_context.h"

namespace gprofhub::store::sql {
namespace {

absl::Status AddRuns(Session& session, int64_t line, const Row& seal, absl::string_view runs) {
  return session.Execute(
      "INSERT INTO sealed_runs (line_id, seal, first_run_id, last_run_id, is_merged, payload) "
      "VALUES ($1, $2, $3, $4, 1, $5)",
      {line, seal.Number(1), seal.Number(2), seal.Number(3), Bytes{runs}});
}

// One bucket of a line, which has a row for each of its seals.
absl::Status SplitBucket(Session& session, int64_t line, int64_t bucket,
                         const SplitSealedBucket& split) {
  const absl::StatusOr<Rows> seals = session.Query(
      "SELECT payload, seal, first_run_id, last_run_id FROM sealed_buckets "
      "WHERE line_id = $1 AND bucket = $2 ORDER BY seal",
      {line, bucket});
  if (!seals.ok()) return seals.status();
  for (const Row& seal : *seals) {
    const absl::StatusOr<PackedPoints> packed = split(seal.View(0));
    if (!packed.ok()) {
      return base::WithContext(packed.status(), absl::StrCat("line ", line, ", bucket ", bucket));
    }
    // All buckets say the same of the runs.
    absl::Status status =
        bucket == 0 ? AddRuns(session, line, seal, packed->runs) : absl::OkStatus();
    for (const FunctionPoints& function : packed->functions) {
      if (!status.ok()) return status;
      status = session.Execute(
          "INSERT INTO sealed_points "
          "(line_id, bucket, function_hash, last_run_id, seal, payload) "
          "VALUES ($1, $2, $3, $4, $5, $6)",
          {line, bucket, function.function_hash, seal.Number(3), seal.Number(1),
           Bytes{function.payload}});
    }
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status SplitSealedPoints(Session& session, const Opening& opening) {
  const absl::StatusOr<Rows> buckets = session.Query(
      "SELECT DISTINCT line_id, bucket FROM sealed_buckets ORDER BY line_id, bucket", {});
  if (!buckets.ok()) return buckets.status();
  if (!buckets->empty() && opening.split_sealed_bucket == nullptr) {
    return absl::FailedPreconditionError(
        "points of an older gprofhub are packed: run `gprofhub admin migrate`");
  }
  for (const Row& row : *buckets) {
    absl::Status status =
        SplitBucket(session, row.Number(0), row.Number(1), opening.split_sealed_bucket);
    if (!status.ok()) return status;
  }
  return session.Execute("DROP TABLE sealed_buckets", {});
}

}  // namespace gprofhub::store::sql
