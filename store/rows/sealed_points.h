// Points of many runs, packed. In addition to the line's runs (`sealed_runs`) there is a row for
// each function (`sealed_points`), clustered in a trend's reading order: line, bucket, function,
// runs.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "store/records/records.h"
#include "store/sql/database.h"

namespace gprofhub::store::sql {

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

// Number and size in bytes of the query's rows in the lines of these ids.
absl::StatusOr<std::pair<uint64_t, uint64_t>> MeasureSealed(Session& session,
                                                            const Dialect& dialect,
                                                            const PointQuery& query,
                                                            absl::string_view lines);

// Reads the query's matches in the lines of these ids, a JsonColumn, into `sealed`: for each of
// `ids` its points, the newest first.
absl::Status ReadSealed(Session& session, const Dialect& dialect, const PointQuery& query,
                        absl::string_view lines, absl::Span<const int64_t> ids,
                        absl::Span<LinePoints> sealed);

// Deletes the seals of these lines that contain this run, if all their runs are deleted.
absl::Status DeleteEmptySeals(Session& session, const Dialect& dialect,
                              const std::vector<int64_t>& lines, int64_t run_id);

}  // namespace gprofhub::store::sql
