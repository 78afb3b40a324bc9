#include "reporter/queries/line_points.h"

#include <cstddef>
#include <string>
#include <utility>

#include "profile/codec/series_chunk.h"

namespace gprofhub::reporter {
namespace {

constexpr size_t kNowhere = SIZE_MAX;
// A point of four bytes becomes a SeriesPoint, that of a chunk has its run beside it.
constexpr uint64_t kDecodedPerByte = 10;

// For each run of a chunk its place; kNowhere if it is not wanted, or something newer told of it.
std::vector<size_t> PlacesOf(const profile::SeriesChunk& chunk, const RunPlaces& wanted,
                             absl::flat_hash_set<int64_t>& told) {
  std::vector<size_t> places;
  places.reserve(chunk.runs().size());
  for (const profile::ChunkRun& run : chunk.runs()) {
    const auto found = wanted.find(run.run_id);
    const bool is_new = found != wanted.end() && told.insert(run.run_id).second;
    places.push_back(is_new ? found->second : kNowhere);
  }
  return places;
}

uint64_t MemoryOf(const profile::SeriesSegment& segment) {
  return sizeof(segment) + segment.points.size() * sizeof(profile::SeriesPoint);
}

}  // namespace

absl::StatusOr<std::vector<store::LinePoints>> ReadLines(const store::Reading& reading,
                                                         const store::PointQuery& query,
                                                         const base::Decoding& decoding) {
  if (absl::Status wanted = decoding.CheckWanted(); !wanted.ok()) return wanted;
  absl::StatusOr<std::vector<store::LinePoints>> lines = reading.ReadPoints(query);
  if (!lines.ok()) return lines.status();
  uint64_t bytes = 0;
  for (const store::LinePoints& line : *lines) {
    for (const store::RunPoints& points : line.open)
      bytes += sizeof(points) + points.payload.size();
    for (const std::string& payload : line.sealed) bytes += sizeof(payload) + payload.size();
  }
  absl::StatusOr<base::DecodingPart> memory = decoding.Take(bytes);
  if (!memory.ok()) return memory.status();
  memory->Leave(bytes);
  return lines;
}

absl::StatusOr<absl::flat_hash_map<int64_t, profile::SeriesSegment>> SegmentsOf(
    const store::LinePoints& line, const RunPlaces& wanted, const base::Decoding& decoding) {
  absl::flat_hash_map<int64_t, profile::SeriesSegment> segments;
  base::GrowingMemory memory(decoding);
  uint64_t bytes = 0;
  for (const store::RunPoints& points : line.open) {
    if (!wanted.contains(points.run_id)) continue;
    const auto decoded = decoding.Take(kDecodedPerByte * points.payload.size());
    if (!decoded.ok()) return decoded.status();
    absl::StatusOr<profile::SeriesSegment> segment = profile::DecodeSeries(points.payload);
    if (!segment.ok()) return segment.status();
    bytes += MemoryOf(*segment);
    segments[points.run_id] = *std::move(segment);
    if (absl::Status taken = memory.GrowTo(bytes); !taken.ok()) return taken;
  }
  for (const std::string& payload : line.sealed) {
    const auto decoded = decoding.Take(kDecodedPerByte * payload.size());
    if (!decoded.ok()) return decoded.status();
    absl::StatusOr<std::vector<profile::RunSegment>> runs = profile::DecodeSeriesChunk(payload);
    if (!runs.ok()) return runs.status();
    for (profile::RunSegment& run : *runs) {
      if (!wanted.contains(run.run_id)) continue;
      bytes += MemoryOf(run.segment);
      segments.try_emplace(run.run_id, std::move(run.segment));
    }
    if (absl::Status taken = memory.GrowTo(bytes); !taken.ok()) return taken;
  }
  return segments;
}

absl::Status AddLine(const store::LinePoints& line, const absl::flat_hash_set<uint64_t>& hashes,
                     const RunPlaces& wanted, const base::Decoding& decoding,
                     std::vector<FunctionAtRun>& sums) {
  absl::flat_hash_set<int64_t> told;
  for (const store::RunPoints& points : line.open) {
    const auto found = wanted.find(points.run_id);
    if (found == wanted.end()) continue;
    const auto decoded = decoding.Take(kDecodedPerByte * points.payload.size());
    if (!decoded.ok()) return decoded.status();
    const absl::StatusOr<profile::SeriesSegment> segment = profile::DecodeSeries(points.payload);
    if (!segment.ok()) return segment.status();
    told.insert(points.run_id);
    FunctionAtRun& sum = sums[found->second];
    sum.analysed = true;
    for (const profile::SeriesPoint& point : segment->points) {
      if (!hashes.contains(point.function_hash)) continue;
      AddPoint(segment->sample_rate, segment->repetitions, point, sum);
    }
  }
  for (const std::string& payload : line.sealed) {
    const auto decoded = decoding.Take(kDecodedPerByte * payload.size());
    if (!decoded.ok()) return decoded.status();
    const absl::StatusOr<profile::SeriesChunk> chunk = profile::SeriesChunk::Parse(payload);
    if (!chunk.ok()) return chunk.status();
    const std::vector<size_t> places = PlacesOf(*chunk, wanted, told);
    for (const size_t place : places) {
      if (place != kNowhere) sums[place].analysed = true;
    }
    for (size_t function = 0; function < chunk->functions(); ++function) {
      if (!hashes.contains(chunk->function_hash(function))) continue;
      const absl::StatusOr<std::vector<profile::ChunkPoint>> points = chunk->PointsOf(function);
      if (!points.ok()) return points.status();
      for (const auto& [run, point] : *points) {
        if (places[run] == kNowhere) continue;
        const profile::ChunkRun& of = chunk->runs()[run];
        AddPoint(of.sample_rate, of.repetitions, point, sums[places[run]]);
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace gprofhub::reporter
