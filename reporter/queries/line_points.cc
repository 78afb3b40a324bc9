#include "reporter/queries/line_points.h"

#include <algorithm>
#include <string>

namespace gprofhub::reporter {
namespace {

// A point of four bytes becomes a SeriesPoint.
constexpr uint64_t kDecodedPerByte = 10;
// Rows and values coexist during decoding.
constexpr uint64_t kCopies = 2;

uint64_t MemoryOf(const profile::SeriesSegment& segment) {
  return sizeof(segment) + segment.points.size() * sizeof(profile::SeriesPoint);
}

// Adds the segments of wanted runs without newer data, and their size to `bytes`.
absl::Status AddSealed(const store::PackedPoints& points, const WantedRuns& wanted,
                       const base::Decoding& decoding,
                       absl::flat_hash_map<int64_t, profile::SeriesSegment>& segments,
                       uint64_t& bytes) {
  const absl::StatusOr<std::vector<profile::ChunkRun>> runs = profile::DecodeChunkRuns(points.runs);
  if (!runs.ok()) return runs.status();
  const auto decoded = decoding.Take(kDecodedPerRun * runs->size());
  if (!decoded.ok()) return decoded.status();
  std::vector<profile::SeriesSegment> of_runs(runs->size());
  std::vector<bool> is_new;
  WantedRuns::Finder finder(wanted);
  for (const profile::ChunkRun& run : *runs) {
    is_new.push_back(finder.Find(run.run_id) != WantedRuns::kNone &&
                     !segments.contains(run.run_id));
  }
  for (const store::FunctionPoints& function : points.functions) {
    const absl::StatusOr<std::vector<profile::ChunkPoint>> of_function =
        profile::DecodeFunctionColumns(static_cast<uint64_t>(function.function_hash),
                                       function.payload, runs->size());
    if (!of_function.ok()) return of_function.status();
    for (const auto& [run, point] : *of_function) {
      if (is_new[run]) of_runs[run].points.push_back(point);
    }
  }
  for (size_t i = 0; i < runs->size(); ++i) {
    if (!is_new[i]) continue;
    const profile::ChunkRun& run = (*runs)[i];
    of_runs[i].sample_rate = run.sample_rate;
    of_runs[i].repetitions = run.repetitions;
    bytes += MemoryOf(of_runs[i]);
    segments.emplace(run.run_id, std::move(of_runs[i]));
  }
  return absl::OkStatus();
}

}  // namespace

WantedRuns::WantedRuns(const std::vector<store::RunHead>& runs) {
  runs_.reserve(runs.size());
  for (size_t i = 0; i < runs.size(); ++i) runs_.emplace_back(runs[i].id, i);
  std::sort(runs_.begin(), runs_.end());
}

WantedRuns::WantedRuns(std::vector<std::pair<int64_t, size_t>> runs) : runs_(std::move(runs)) {
  std::sort(runs_.begin(), runs_.end());
}

size_t WantedRuns::Finder::Find(int64_t run_id) {
  if (next_ == kNone) {
    const auto first = std::lower_bound(runs_.begin(), runs_.end(), std::pair(run_id, size_t{0}));
    next_ = static_cast<size_t>(first - runs_.begin());
  }
  while (next_ < runs_.size() && runs_[next_].first < run_id) ++next_;
  return next_ < runs_.size() && runs_[next_].first == run_id ? next_ : kNone;
}

absl::StatusOr<std::vector<store::LinePoints>> ReadLines(const store::Reading& reading,
                                                         const store::PointQuery& query,
                                                         const base::Decoding& decoding) {
  if (absl::Status wanted = decoding.CheckWanted(); !wanted.ok()) return wanted;
  if (!decoding.is_bounded()) return reading.ReadPoints(query);
  uint64_t bytes = 0;
  base::DecodingPart memory;
  const auto take = [&](uint64_t needed) -> absl::Status {
    memory = base::DecodingPart();  // the query is repeated
    absl::StatusOr<base::DecodingPart> taken = decoding.Take(kCopies * needed);
    if (!taken.ok()) return taken.status();
    bytes = needed;
    memory = *std::move(taken);
    return absl::OkStatus();
  };
  absl::StatusOr<std::vector<store::LinePoints>> lines = reading.ReadPoints(query, take);
  if (lines.ok()) memory.Leave(bytes);
  return lines;
}

absl::StatusOr<absl::flat_hash_map<int64_t, profile::SeriesSegment>> SegmentsOf(
    const store::LinePoints& line, const WantedRuns& wanted, const base::Decoding& decoding) {
  absl::flat_hash_map<int64_t, profile::SeriesSegment> segments;
  base::GrowingMemory memory(decoding);
  uint64_t bytes = 0;
  WantedRuns::Finder open(wanted);
  for (const store::RunPoints& points : line.open) {
    if (open.Find(points.run_id) == WantedRuns::kNone) continue;
    const auto decoded = decoding.Take(kDecodedPerByte * points.payload.size());
    if (!decoded.ok()) return decoded.status();
    absl::StatusOr<profile::SeriesSegment> segment = profile::DecodeSeries(points.payload);
    if (!segment.ok()) return segment.status();
    bytes += MemoryOf(*segment);
    segments[points.run_id] = *std::move(segment);
    if (absl::Status taken = memory.GrowTo(bytes); !taken.ok()) return taken;
  }
  for (const store::PackedPoints& points : line.sealed) {
    absl::Status status = AddSealed(points, wanted, decoding, segments, bytes);
    if (status.ok()) status = memory.GrowTo(bytes);
    if (!status.ok()) return status;
  }
  return segments;
}

}  // namespace gprofhub::reporter
