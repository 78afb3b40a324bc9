// Sums one function's points over lines (targets on branches), by run.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/decoding/decoding.h"
#include "profile/codec/series_chunk.h"
#include "reporter/history/trend.h"
#include "reporter/queries/line_points.h"
#include "store/records/records.h"

namespace gprofhub::reporter {

class FunctionSums {
 public:
  // Keeps references to its arguments. `sums` has an entry for each index of a wanted run.
  FunctionSums(const absl::flat_hash_set<uint64_t>& hashes, const WantedRuns& wanted,
               const base::Decoding& decoding, std::vector<FunctionAtRun>& sums);

  // Adds a line. Memory for decoding is reserved from `decoding`, whose errors are passed on. In a
  // sealed segment, only the function's points are decoded.
  absl::Status Add(const store::LinePoints& line);

 private:
  // The runs of a sealed segment.
  struct SealedRuns {
    std::vector<profile::ChunkRun> runs;
    std::vector<size_t> wanted;  // by run: index among the wanted ones, or kNone
  };

  absl::Status AddOpen(const std::vector<store::RunPoints>& open, std::vector<bool>& told);
  absl::Status AddSealed(const store::PackedPoints& sealed, std::vector<bool>& told);
  absl::StatusOr<const SealedRuns*> RunsOf(const std::string& bytes);

  const absl::flat_hash_set<uint64_t>& hashes_;
  const std::vector<uint64_t> hash_list_;
  const WantedRuns& wanted_;
  const base::Decoding& decoding_;
  base::GrowingMemory memory_;
  std::vector<FunctionAtRun>& sums_;
  // Keyed by their bytes. Most runs have the same targets, so that their sealed segments have the
  // same runs.
  absl::flat_hash_map<std::string, SealedRuns> runs_;
  uint64_t bytes_ = 0;  // of runs_
};

}  // namespace gprofhub::reporter
