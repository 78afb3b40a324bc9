#include "store/rows/merged_seals.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "store/rows/points.h"
#include "store/rows/sealed_points.h"

namespace gprofhub::store::sql {
namespace {

// The small seals that are merged. Of all the line's seals, the older ones are merged already, and
// the others have greater numbers.
struct Merged {
  std::vector<int64_t> numbers;  // ascending
  std::vector<std::string> runs;
  int64_t least_last_run_id = INT64_MAX;
  Seal seal;  // what becomes of them

  // For kRange.
  std::vector<Parameter> Range() const {
    return {seal.line, least_last_run_id, seal.last_run_id, numbers.front(), numbers.back()};
  }
};

// The rows of the seals that are merged; of sealed_points, with a bucket.
constexpr absl::string_view kRange =
    "line_id = $1 AND last_run_id BETWEEN $2 AND $3 AND seal BETWEEN $4 AND $5";

absl::StatusOr<std::optional<Merged>> OldestHalf(Session& session, int64_t line, uint32_t at) {
  const absl::StatusOr<Rows> small = session.Query(
      "SELECT seal, first_run_id, last_run_id, payload FROM sealed_runs "
      "WHERE line_id = $1 AND is_merged = 0 ORDER BY seal",
      {line});
  if (!small.ok()) return small.status();
  if (small->size() < at || at < 2) return std::nullopt;
  Merged merged;
  merged.seal = {line, 0, INT64_MAX, 0, /*is_merged=*/true};
  for (size_t i = 0; i < at / 2; ++i) {
    const Row row = (*small)[i];
    merged.numbers.push_back(row.Number(0));
    merged.runs.push_back(row.Text(3));
    merged.seal.number = row.Number(0);
    merged.seal.first_run_id = std::min(merged.seal.first_run_id, row.Number(1));
    merged.seal.last_run_id = std::max(merged.seal.last_run_id, row.Number(2));
    merged.least_last_run_id = std::min(merged.least_last_run_id, row.Number(2));
  }
  return merged;
}

// The points of a bucket in the seals, the oldest first.
absl::StatusOr<std::vector<PackedPoints>> BucketOf(Session& session, const Merged& merged,
                                                   int64_t bucket) {
  std::vector<Parameter> parameters = merged.Range();
  parameters.push_back(bucket);
  const absl::StatusOr<Rows> rows = session.Query(
      absl::StrCat("SELECT seal, function_hash, payload FROM sealed_points WHERE bucket = $6 AND ",
                   kRange),
      parameters);
  if (!rows.ok()) return rows.status();
  std::vector<PackedPoints> points;
  absl::flat_hash_map<int64_t, size_t> places;
  for (size_t i = 0; i < merged.numbers.size(); ++i) {
    places[merged.numbers[i]] = i;
    points.push_back({merged.runs[i], {}});
  }
  for (const Row& row : *rows) {
    const auto place = places.find(row.Number(0));
    if (place == places.end()) continue;
    points[place->second].functions.push_back({row.Number(1), row.Text(2)});
  }
  return points;
}

absl::Status Replace(Session& session, const Merged& merged, int64_t bucket,
                     const PackedPoints& packed) {
  std::vector<Parameter> parameters = merged.Range();
  parameters.push_back(bucket);
  absl::Status status = session.Execute(
      absl::StrCat("DELETE FROM sealed_points WHERE bucket = $6 AND ", kRange), parameters);
  if (!status.ok()) return status;
  return AddSealedPoints(session, merged.seal, bucket, packed.functions);
}

}  // namespace

absl::StatusOr<bool> HasSmallSeals(Session& session, int64_t run_id, absl::string_view label,
                                   uint32_t at) {
  const absl::StatusOr<Rows> rows = session.Query(
      "SELECT count(*) FROM run JOIN series_line ON series_line.project = run.project "
      "AND series_line.branch = run.branch AND series_line.label = $2 "
      "JOIN sealed_runs ON sealed_runs.line_id = series_line.id AND sealed_runs.is_merged = 0 "
      "WHERE run.id = $1",
      {run_id, label});
  if (!rows.ok()) return rows.status();
  return rows->front().Number(0) >= int64_t{at};
}

absl::StatusOr<bool> MergeSeals(Session& session, const Dialect& dialect, int64_t run_id,
                                absl::string_view label, uint32_t at, const MergePoints& merge) {
  const absl::StatusOr<std::optional<int64_t>> line = LockLine(session, dialect, run_id, label);
  if (!line.ok()) return line.status();
  if (!line->has_value()) return false;
  const absl::StatusOr<std::optional<Merged>> found = OldestHalf(session, **line, at);
  if (!found.ok()) return found.status();
  if (!found->has_value()) return false;
  const Merged& merged = **found;
  std::string runs;
  for (int64_t bucket = 0; bucket < kBuckets; ++bucket) {
    const absl::StatusOr<std::vector<PackedPoints>> points = BucketOf(session, merged, bucket);
    if (!points.ok()) return points.status();
    const absl::StatusOr<PackedPoints> packed = merge(*points);
    if (!packed.ok()) return packed.status();
    runs = packed->runs;
    absl::Status status = Replace(session, merged, bucket, *packed);
    if (!status.ok()) return status;
  }
  absl::Status status =
      session.Execute(absl::StrCat("DELETE FROM sealed_runs WHERE ", kRange), merged.Range());
  if (status.ok()) status = AddSealedRuns(session, merged.seal, runs);
  if (!status.ok()) return status;
  return true;
}

}  // namespace gprofhub::store::sql
