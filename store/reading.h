// What analyses and answers read: runs, their targets and the functions' series.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/records/records.h"

namespace gprofhub::store {

namespace sql {
class Database;
}

// A part of the store: store.h says what holds for all of them.
class Reading {
 public:
  explicit Reading(std::shared_ptr<sql::Database> database);

  // NOT_FOUND.
  absl::StatusOr<RunRecord> ReadRun(int64_t run_id) const;

  // Newest first (by commit time where known, else start; then id). The filter
  // must name a project.
  absl::StatusOr<std::vector<RunRecord>> ListRuns(const RunFilter& filter) const;

  // The mainline runs (no pull request, no fork) of `commits` in this configuration, of
  // counted profiles, at most `limit`: in the order of the commits, of one commit the
  // newest first.
  absl::StatusOr<std::vector<RunRecord>> FindBaselineRuns(absl::string_view project,
                                                          absl::string_view configuration,
                                                          const std::vector<std::string>& commits,
                                                          uint32_t limit) const;

  // By label. NOT_FOUND.
  absl::StatusOr<std::vector<TargetRecord>> ListTargets(int64_t run_id) const;

  // Everything the analysis of a target reads: of each (run number, shard) the
  // last attempt. NOT_FOUND.
  absl::StatusOr<TargetData> ReadTargetData(int64_t run_id, absl::string_view target) const;

  // Segments of one bucket for the given runs, in their order and by label, of
  // one target or (empty) all.
  absl::StatusOr<std::vector<PointSegment>> ReadSegments(const std::vector<int64_t>& run_ids,
                                                         absl::string_view target,
                                                         uint32_t bucket) const;

 private:
  std::shared_ptr<sql::Database> database_;
};

}  // namespace gprofhub::store
