// The points of functions' series. A line is a target on a branch of a project.
//
// New points are one row per run and bucket of a line ("open"). When enough runs are open, the
// points of the oldest are encoded together, function by function ("sealed", sealed_points.h), and
// such seals are merged later (merged_seals.h): a query of one function of 10,000 runs reads 50
// rows of each line. Rows are stored in the order in which they are read.
//
// A run whose target was analysed again may be in an open row and in a seal, or in two seals. The
// open row takes precedence, and the newer of two seals. A seal may contain deleted runs, whose ids
// are never reused. It is deleted with the last of its runs.
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

// Locks the target's line: until the transaction ends, no other one seals it or adds to it. nullopt
// if the target has no line yet.
absl::StatusOr<std::optional<int64_t>> LockLine(Session& session, const Dialect& dialect,
                                                int64_t run_id, absl::string_view label);

// Replaces the points of the target by the result's.
absl::Status ReplacePoints(Session& session, const Dialect& dialect, int64_t run_id,
                           absl::string_view label, const std::vector<PointSegment>& segments);

// Reads the points of the query's bucket and runs, of the lines of its branches and target. `take`,
// if set, is called with their size in bytes before any is read; its error is returned.
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
