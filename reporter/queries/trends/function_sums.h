// What lines (targets on branches) say of one function, summed by run.
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
  // All outlive it. `sums` has room for each place of a wanted run.
  FunctionSums(const absl::flat_hash_set<uint64_t>& hashes, const WantedRuns& wanted,
               const base::Decoding& decoding, std::vector<FunctionAtRun>& sums);

  // Adds what a line says. What it takes to decode is taken of `decoding`, whose errors come. Of a
  // seal, only points of the function are decoded.
  absl::Status Add(const store::LinePoints& line);

 private:
  // The runs of a seal.
  struct SealedRuns {
    std::vector<profile::ChunkRun> runs;
    std::vector<size_t> wanted;  // of each run its index among the wanted ones, or kNone
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
  // By their bytes. Most runs have the same targets, so that their seals have the same runs.
  absl::flat_hash_map<std::string, SealedRuns> runs_;
  uint64_t bytes_ = 0;  // of runs_
};

}  // namespace gprofhub::reporter
