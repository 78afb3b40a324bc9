// The points of functions' series. A line is a target on a branch of a project.
//
// Points are inserted as a row for each run and bucket of a line ("open"). When enough runs are
// open, the oldest of them are packed by function ("sealed", sealed_points.h), and such seals are
// merged later (merged_seals.h): reading one function of 10,000 runs takes 50 rows of each line.
// All rows are clustered in reading order.
//
// A run may be in an open row and in a seal, or in two seals: its target was analysed again. The
// open row holds, and of two seals the newer. A seal may contain deleted runs: their ids are never
// reused. It is deleted with the last of its runs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "store/records/records.h"
#include "store/sql/database.h"

namespace gprofhub::store::sql {

// Merges small seals of a line into one. Points are sealed early, and merged later, as in a
// log-structured merge tree (O'Neil et al., 1996): few runs are open at any time, and reading a
// long history takes few rows.

// Whether the target's line has at least `at` small seals.
absl::StatusOr<bool> HasSmallSeals(Session& session, int64_t run_id, absl::string_view label,
                                   uint32_t at);

// Merges the oldest half of the small seals of a target's line if there are at least `at`. Returns
// whether it did, or the error of `merge`.
absl::StatusOr<bool> MergeSeals(Session& session, const Dialect& dialect, int64_t run_id,
                                absl::string_view label, uint32_t at, const MergePoints& merge);

// The target's line, locked: until the transaction ends, no other one seals it or adds to it.
// nullopt: it has none yet.
absl::StatusOr<std::optional<int64_t>> LockLine(Session& session, const Dialect& dialect,
                                                int64_t run_id, absl::string_view label);

// Replaces the target's points by the result's.
absl::Status ReplacePoints(Session& session, const Dialect& dialect, int64_t run_id,
                           absl::string_view label, const std::vector<PointSegment>& segments);

// Of the lines that the query's branches and target name: the points of its bucket and its runs.
// `take`, if set, is called with their size in bytes, before any of them is read. Its error is the
// result.
absl::StatusOr<std::vector<LinePoints>> ReadPoints(
    Session& session, const Dialect& dialect, const PointQuery& query,
    const std::function<absl::Status(uint64_t bytes)>& take);

// Whether the target's line has at least `at` open runs.
absl::StatusOr<bool> HasOpenRuns(Session& session, int64_t run_id, absl::string_view label,
                                 uint32_t at);

// Seals the oldest half of the open runs of a target's line if there are at least `at`. Returns
// whether it did, or the error of `pack`.
absl::StatusOr<bool> SealPoints(Session& session, const Dialect& dialect, int64_t run_id,
                                absl::string_view label, uint32_t at, const PackPoints& pack);

// The lines of targets. `targets` is a JsonTable of their ids.
absl::StatusOr<std::vector<int64_t>> LinesOf(Session& session, const Dialect& dialect,
                                             absl::string_view targets);

// Deletes the run's open points of these lines.
absl::Status DeleteOpenPoints(Session& session, const Dialect& dialect,
                              const std::vector<int64_t>& lines, int64_t run_id);

// Points of many runs, packed. In addition to the line's runs (`sealed_runs`) there is a row for
// each function (`sealed_points`), clustered in a trend's reading order: line, bucket, function,
// runs.

inline constexpr int64_t kBuckets = 16;
// All of them, one by one: then a key that begins with line and bucket is a seek and not a scan of
// the line.
inline constexpr absl::string_view kEachBucket =
    "(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)";

// The encoded points of a range of a line's runs.
struct Seal {
  int64_t line = 0;
  int64_t number = 0;  // numbers the line's seals
  int64_t first_run_id = 0;
  int64_t last_run_id = 0;
  bool is_merged = false;  // made of several seals (merged_seals.h)
};

// The number of the line's next seal.
absl::StatusOr<int64_t> NextSeal(Session& session, int64_t line);

// Adds the seal's runs.
absl::Status AddSealedRuns(Session& session, const Seal& seal, absl::string_view runs);

// Adds points of the seal's functions of one bucket.
absl::Status AddSealedPoints(Session& session, const Seal& seal, int64_t bucket,
                             absl::Span<const FunctionPoints> functions);

// Deletes the seals of these lines that contain this run, if all their runs are deleted.
absl::Status DeleteEmptySeals(Session& session, const Dialect& dialect,
                              const std::vector<int64_t>& lines, int64_t run_id);

}  // namespace gprofhub::store::sql
