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
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/records/records.h"
#include "store/sql/database.h"

namespace gprofhub::store::sql {

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

}  // namespace gprofhub::store::sql
