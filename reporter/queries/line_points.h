// The points of a line (a target on a branch) as values, open and sealed ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/decoding/decoding.h"
#include "profile/codec/series.h"
#include "profile/codec/series_chunk.h"
#include "store/reading.h"
#include "store/records/history.h"
#include "store/records/records.h"

namespace gprofhub::reporter {

// The requested runs, and the index of each in a response. Points are sorted by run id, so that
// both are merged: no hash lookup for each of 200,000 points.
class WantedRuns {
 public:
  // Pairs of a run's id and its index; each run once.
  explicit WantedRuns(std::vector<std::pair<int64_t, size_t>> runs);
  // Indices are those in `runs`.
  explicit WantedRuns(const std::vector<store::RunHead>& runs);

  bool empty() const { return runs_.empty(); }
  size_t size() const { return runs_.size(); }
  int64_t first_id() const { return runs_.front().first; }
  int64_t last_id() const { return runs_.back().first; }
  size_t place(size_t index) const { return runs_[index].second; }

  static constexpr size_t kNone = SIZE_MAX;

  // Looks up ascending run ids.
  class Finder {
   public:
    // Keeps a reference to `wanted`.
    explicit Finder(const WantedRuns& wanted) : runs_(wanted.runs_) {}

    // The run's index among the wanted ones, below size(); kNone if it is not wanted. Ids must
    // ascend.
    size_t Find(int64_t run_id);

   private:
    const std::vector<std::pair<int64_t, size_t>>& runs_;
    size_t next_ = kNone;
  };

 private:
  std::vector<std::pair<int64_t, size_t>> runs_;  // ascending
};

// Memory per run of a chunk while one function is decoded: four columns, and a point.
inline constexpr uint64_t kDecodedPerRun = 4 * sizeof(uint64_t) + sizeof(profile::ChunkPoint);

// The points for the query. Memory is reserved from `decoding` before they are read, and stays
// charged to it. On its errors nothing is read.
absl::StatusOr<std::vector<store::LinePoints>> ReadLines(const store::Reading& reading,
                                                         const store::PointQuery& query,
                                                         const base::Decoding& decoding);

// The line's segments of wanted runs, by run. Memory is charged to `decoding`, whose errors are
// passed on.
absl::StatusOr<absl::flat_hash_map<int64_t, profile::SeriesSegment>> SegmentsOf(
    const store::LinePoints& line, const WantedRuns& wanted, const base::Decoding& decoding);

}  // namespace gprofhub::reporter
