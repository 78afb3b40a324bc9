// Sealed points: those of one line (project, branch, target) over many runs, a "chunk". The
// description of the runs is stored once. Each function's points are stored separately, so that a
// trend reads only the points of its function.
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

// Common data of all points of a run's segments.
struct ChunkRun {
  int64_t run_id = 0;
  double sample_rate = 0;
  uint32_t repetitions = 1;
};

// One run's segment of a bucket.
struct RunSegment {
  int64_t run_id = 0;
  SeriesSegment segment;
};

// The points of one function, packed.
struct FunctionColumns {
  uint64_t function_hash = 0;
  std::string bytes;
};

// A chunk, packed.
struct SeriesChunk {
  std::string runs;                        // EncodeChunkRuns
  std::vector<FunctionColumns> functions;  // EncodeFunctionColumns
};

// A point and its function.
struct ChunkPoint {
  size_t run = 0;  // index into the chunk's runs
  SeriesPoint point;
};

inline constexpr size_t kMostRunsOfChunk = 4096;

// At most kMostRunsOfChunk, ascending by run_id, each once. Deterministic.
std::string EncodeChunkRuns(absl::Span<const ChunkRun> runs);
// Inverse of EncodeChunkRuns. DataLoss names the wrong field.
absl::StatusOr<std::vector<ChunkRun>> DecodeChunkRuns(absl::string_view bytes);

// For each function with a point in one of the segments, ascending by hash. The segments must be
// those of all the chunk's runs, in order. Deterministic.
std::vector<FunctionColumns> EncodeFunctionColumns(absl::Span<const RunSegment> runs);
// Both, from the segments of a chunk's runs.
SeriesChunk EncodeSeriesChunk(absl::Span<const RunSegment> runs);

// The function's points, one for each run in which it appeared, in the order of the runs. `runs` is
// the number of the chunk's runs. DataLoss.
absl::StatusOr<std::vector<ChunkPoint>> DecodeFunctionColumns(uint64_t function_hash,
                                                              absl::string_view bytes, size_t runs);

}  // namespace gprofhub::profile
