// Sealed points: those of one line (project, branch, target) and bucket over many runs, by
// function. One function's points of a whole chunk lie together, so that a trend reads no other's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "profile/codec/series.h"

namespace gprofhub::profile {

// What a run's segment says of all its points.
struct ChunkRun {
  int64_t run_id = 0;
  double sample_rate = 0;
  uint32_t repetitions = 1;
};

// One run's segment of the bucket.
struct RunSegment {
  int64_t run_id = 0;
  SeriesSegment segment;
};

// A point, and whose it is.
struct ChunkPoint {
  size_t run = 0;  // of SeriesChunk::runs()
  SeriesPoint point;
};

inline constexpr size_t kMostRunsOfChunk = 4096;

// At most kMostRunsOfChunk, ascending by run_id, each once. Deterministic.
std::string EncodeSeriesChunk(absl::Span<const RunSegment> runs);

// A chunk as it stands in its bytes, which must outlive it.
class SeriesChunk {
 public:
  // DataLoss names the field that is wrong.
  static absl::StatusOr<SeriesChunk> Parse(absl::string_view bytes);

  // Ascending by id, also those without a point.
  const std::vector<ChunkRun>& runs() const { return runs_; }
  size_t functions() const { return functions_.size(); }
  uint64_t function_hash(size_t function) const { return functions_[function].hash; }

  // The function's points, those of runs in which it appeared, in the order of the runs. DataLoss.
  absl::StatusOr<std::vector<ChunkPoint>> PointsOf(size_t function) const;

 private:
  struct Function {
    uint64_t hash = 0;
    absl::string_view columns;
  };

  std::vector<ChunkRun> runs_;
  std::vector<Function> functions_;  // ascending by hash
};

// What EncodeSeriesChunk was given.
absl::StatusOr<std::vector<RunSegment>> DecodeSeriesChunk(absl::string_view bytes);

}  // namespace gprofhub::profile
