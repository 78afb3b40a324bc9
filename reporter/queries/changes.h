// Query service: change events of a branch's counts and times.
//
// Finding them requires all functions of all runs: seconds, for many runs. So a branch's response
// is computed when one of its runs was analysed, and cached (reporter/worker/delivery_worker.h). A
// query compares the cached response's runs with the current ones. If they are the same and
// unchanged, it returns the cached response. Otherwise the response is computed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/memory_budget.h"
#include "profile/codec/series.h"
#include "proto/query.pb.h"
#include "reporter/queries/runs.h"
#include "store/reading.h"
#include "store/records/records.h"
#include "store/records/summaries.h"

namespace gprofhub::reporter {

// Over the branch's runs, without those of pull requests and forks. NOT_FOUND if there are none,
// with the existing branches; INVALID_ARGUMENT; the store's errors.
absl::StatusOr<v1::GetChangesResponse> GetChanges(const store::Reading& reading,
                                                  const BlobReader& blobs,
                                                  const v1::GetChangesRequest& request);

// Default number of runs.
inline constexpr uint32_t kDefaultChangeRuns = 100;

// The analysed runs of a branch and configuration in which changes are searched. Empty: any
// configuration.
store::RunFilter RunsOfHistory(const store::BranchKey& branch);

// A response with all events, whatever the request's limit, and the value to cache: nothing if it
// is cached already, or is not the default query: all targets, without moved cost, over the default
// number of runs.
struct FoundChanges {
  v1::GetChangesResponse response;
  store::BranchKey branch;
  std::optional<store::KeptChanges> to_keep;  // store::ReportQueue::KeepChanges
};

// Otherwise like GetChanges.
absl::StatusOr<FoundChanges> FindChanges(const store::Reading& reading, const BlobReader& blobs,
                                         const v1::GetChangesRequest& request);

// The points of a line (a target on a branch) as values, open and sealed ones.

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
