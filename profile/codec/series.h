// Packed points for trends. Each function's point of a run goes into one of 16 segments, chosen by
// the function's hash, so that reading one function's series touches one segment in 16 per run and
// target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "profile/computed.h"

namespace gprofhub::profile {

struct SeriesPoint {
  uint64_t function_hash = 0;  // FunctionHash
  uint64_t calls = 0;          // from others and from itself
  // Samples in the function, and with its callees; to 1/1024.
  double self_samples = 0;
  double total_samples = 0;
};

struct SeriesSegment {
  double sample_rate = 0;  // samples per unit of the dimension
  uint32_t repetitions = 1;
  std::vector<SeriesPoint> points;  // ascending by function_hash
};

inline constexpr uint32_t kSeriesBuckets = 16;

// Identity of a function across runs: its linkage name and, for a static one, its source file
// (empty otherwise). The upper 48 bits of FNV-1a 64 over name, a zero byte, file: among 100,000
// functions the probability of a collision is 1 in 56,000. Never changes: stored segments depend on
// it.
uint64_t FunctionHash(absl::string_view name, absl::string_view file_if_static);

inline constexpr uint64_t kLargestFunctionHash = (uint64_t{1} << 48) - 1;

// Below kSeriesBuckets.
uint32_t SeriesBucket(uint64_t function_hash);

// The segments' bytes, one for each bucket, in order: a segment without points records that the
// target was analysed. Functions without calls and samples are left out. Functions with equal
// hashes become one point. Deterministic.
std::vector<std::string> EncodeSeries(const ComputedProfile& profile);

// DataLoss names the wrong field and its byte offset.
absl::StatusOr<SeriesSegment> DecodeSeries(absl::string_view bytes);
// Only the points of these functions, of which there should be few. Errors in other points are
// detected, too.
absl::StatusOr<SeriesSegment> DecodeSeriesOf(absl::string_view bytes,
                                             absl::Span<const uint64_t> hashes);

// Sealed points: those of one line (project, branch, target) over many runs, a "chunk". The
// description of the runs is stored once. Each function's points are stored separately, so that a
// trend reads only the points of its function.

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
