// Packed points for trends. A run's point of every function goes into one of 16
// segments, chosen by the function's hash, so that one function's series is read
// without touching the others' points: one segment in 16 per run and target.
#pragma once

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
  // Samples in the function, and with what it calls; to 1/1024.
  double self_samples = 0;
  double total_samples = 0;
};

struct SeriesSegment {
  double sample_rate = 0;  // samples per unit of the dimension
  uint32_t repetitions = 1;
  std::vector<SeriesPoint> points;  // ascending by function_hash
};

inline constexpr uint32_t kSeriesBuckets = 16;

// Identity of a function across runs: its linkage name and, for a static one,
// its source file (empty otherwise). The upper 48 bits of FNV-1a 64 over name, a
// zero byte, file: among 100,000 functions two share a hash with a chance of
// 1 in 56,000. Never changes: stored segments depend on it.
uint64_t FunctionHash(absl::string_view name, absl::string_view file_if_static);

inline constexpr uint64_t kLargestFunctionHash = (uint64_t{1} << 48) - 1;

// Below kSeriesBuckets.
uint32_t SeriesBucket(uint64_t function_hash);

// The segments' bytes, one for each bucket, in order: one without points says that
// the target was analysed. Functions without a call or a sample are left out.
// Functions of one hash become one point. Deterministic.
std::vector<std::string> EncodeSeries(const ComputedProfile& profile);

// DataLoss names the field and byte offset that is wrong.
absl::StatusOr<SeriesSegment> DecodeSeries(absl::string_view bytes);
// Only the points of these functions; there should be few. What is wrong with the others is found,
// too.
absl::StatusOr<SeriesSegment> DecodeSeriesOf(absl::string_view bytes,
                                             absl::Span<const uint64_t> hashes);

}  // namespace gprofhub::profile
