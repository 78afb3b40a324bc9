#include "store/rows/run_counts.h"

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace gprofhub::store::sql {
namespace {

// Of each run of a list: its id, and how many of its targets are under way, done and failed.
constexpr absl::string_view kCount =
    "SELECT target.run_id AS id, "
    "sum(CASE WHEN job.state IN ('pending', 'leased') THEN 1 ELSE 0 END) AS pending, "
    "sum(CASE WHEN job.state = 'done' THEN 1 ELSE 0 END) AS done, "
    "sum(CASE WHEN job.state = 'failed' THEN 1 ELSE 0 END) AS failed FROM ";
constexpr absl::string_view kCountEach =
    " JOIN target ON target.run_id = CAST(item ->> 0 AS bigint) "
    "JOIN job ON job.target_id = target.id GROUP BY target.run_id";

using CountsById = absl::flat_hash_map<int64_t, TargetCounts>;

absl::StatusOr<CountsById> Count(Session& session, const Dialect& dialect,
                                 const std::vector<int64_t>& run_ids) {
  CountsById counts;
  if (run_ids.empty()) return counts;
  const std::string list = JsonColumn(run_ids);
  const absl::StatusOr<Rows> rows =
      session.Query(absl::StrCat(kCount, dialect.list, kCountEach), {list});
  if (!rows.ok()) return rows.status();
  for (const Row& row : *rows) {
    counts[row.Number(0)] = {row.Number(0), static_cast<uint32_t>(row.Number(1)),
                             static_cast<uint32_t>(row.Number(2)),
                             static_cast<uint32_t>(row.Number(3))};
  }
  return counts;
}

}  // namespace

absl::StatusOr<std::vector<TargetCounts>> ReadCounts(Session& session, const Dialect& dialect,
                                                     const std::vector<int64_t>& run_ids) {
  const std::string list = JsonColumn(run_ids);
  const absl::StatusOr<Rows> rows = session.Query(
      absl::StrCat("SELECT run.id, CASE WHEN counted_revision = revision THEN 1 ELSE 0 END, "
                   "jobs_done, jobs_failed FROM ",
                   dialect.list,
                   " JOIN run ON run.id = CAST(item ->> 0 AS bigint) ORDER BY position"),
      {list});
  if (!rows.ok()) return rows.status();
  std::vector<int64_t> to_count;
  for (const Row& row : *rows) {
    if (row.Number(1) == 0) to_count.push_back(row.Number(0));
  }
  const absl::StatusOr<CountsById> counted = Count(session, dialect, to_count);
  if (!counted.ok()) return counted.status();
  std::vector<TargetCounts> counts;
  counts.reserve(rows->size());
  for (const Row& row : *rows) {
    const int64_t id = row.Number(0);
    if (row.Number(1) != 0) {
      counts.push_back(
          {id, 0, static_cast<uint32_t>(row.Number(2)), static_cast<uint32_t>(row.Number(3))});
    } else if (const auto found = counted->find(id); found != counted->end()) {
      counts.push_back(found->second);
    }
  }
  return counts;
}

absl::StatusOr<KeptCounts> KeepCounts(Session& session, const Dialect& dialect, int64_t after,
                                      int64_t limit) {
  const absl::StatusOr<Rows> runs = session.Query(
      absl::StrCat("SELECT id FROM run WHERE counted_revision = -1 AND id > $1 "
                   "AND NOT EXISTS (SELECT 1 FROM target JOIN job ON job.target_id = target.id "
                   "WHERE target.run_id = run.id AND job.state IN ('pending', 'leased')) "
                   "ORDER BY id LIMIT $2",
                   dialect.for_update_skip_locked),
      {after, limit});
  if (!runs.ok()) return runs.status();
  KeptCounts kept;
  kept.looked_at = static_cast<int64_t>(runs->size());
  if (runs->empty()) return kept;
  std::vector<int64_t> ids;
  for (const Row& row : *runs) ids.push_back(row.Number(0));
  kept.last_id = ids.back();
  // Read under the locks, so that these values are the counted ones.
  const std::string list = JsonColumn(ids);
  const absl::StatusOr<Rows> counted = session.Query(
      absl::StrCat("UPDATE run SET jobs_done = found.done, "
                   "jobs_failed = found.failed, counted_revision = run.revision FROM (",
                   kCount, dialect.list, kCountEach,
                   ") AS found WHERE run.id = found.id AND found.pending = 0 "
                   "RETURNING run.id"),
      {list});
  if (!counted.ok()) return counted.status();
  kept.kept = static_cast<int64_t>(counted->size());
  return kept;
}

}  // namespace gprofhub::store::sql
