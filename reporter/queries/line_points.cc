#include "reporter/queries/line_points.h"

#include <algorithm>
#include <string>

#include "profile/codec/series_chunk.h"

namespace gprofhub::reporter {
namespace {

// A point of four bytes becomes a SeriesPoint, that of a chunk has its run beside it.
constexpr uint64_t kDecodedPerByte = 10;
// While rows become values, both are there.
constexpr uint64_t kCopies = 2;

// For each run of a chunk its place; kNone if it is not wanted, or something newer told of it.
// `told` has one for each wanted run.
std::vector<size_t> PlacesOf(const profile::SeriesChunk& chunk, const WantedRuns& wanted,
                             std::vector<bool>& told) {
  std::vector<size_t> places;
  places.reserve(chunk.runs().size());
  WantedRuns::Finder finder(wanted);
  for (const profile::ChunkRun& run : chunk.runs()) {
    const size_t index = finder.Find(run.run_id);
    const bool is_new = index != WantedRuns::kNone && !told[index];
    if (is_new) told[index] = true;
    places.push_back(is_new ? wanted.place(index) : WantedRuns::kNone);
  }
  return places;
}

uint64_t MemoryOf(const profile::SeriesSegment& segment) {
  return sizeof(segment) + segment.points.size() * sizeof(profile::SeriesPoint);
}

}  // namespace

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
    memory = base::DecodingPart();  // the question is asked again
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
  for (const std::string& payload : line.sealed) {
    const auto decoded = decoding.Take(kDecodedPerByte * payload.size());
    if (!decoded.ok()) return decoded.status();
    absl::StatusOr<std::vector<profile::RunSegment>> runs = profile::DecodeSeriesChunk(payload);
    if (!runs.ok()) return runs.status();
    WantedRuns::Finder sealed(wanted);
    for (profile::RunSegment& run : *runs) {
      if (sealed.Find(run.run_id) == WantedRuns::kNone) continue;
      bytes += MemoryOf(run.segment);
      segments.try_emplace(run.run_id, std::move(run.segment));
    }
    if (absl::Status taken = memory.GrowTo(bytes); !taken.ok()) return taken;
  }
  return segments;
}

absl::Status AddLine(const store::LinePoints& line, const absl::flat_hash_set<uint64_t>& hashes,
                     const WantedRuns& wanted, const base::Decoding& decoding,
                     std::vector<FunctionAtRun>& sums) {
  std::vector<bool> told(wanted.size(), false);
  const std::vector<uint64_t> of(hashes.begin(), hashes.end());
  WantedRuns::Finder open(wanted);
  for (const store::RunPoints& points : line.open) {
    const size_t index = open.Find(points.run_id);
    if (index == WantedRuns::kNone) continue;
    const absl::StatusOr<profile::SeriesSegment> segment =
        profile::DecodeSeriesOf(points.payload, of);
    if (!segment.ok()) return segment.status();
    told[index] = true;
    FunctionAtRun& sum = sums[wanted.place(index)];
    sum.analysed = true;
    for (const profile::SeriesPoint& point : segment->points) {
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
      if (place != WantedRuns::kNone) sums[place].analysed = true;
    }
    for (size_t function = 0; function < chunk->functions(); ++function) {
      if (!hashes.contains(chunk->function_hash(function))) continue;
      const absl::StatusOr<std::vector<profile::ChunkPoint>> points = chunk->PointsOf(function);
      if (!points.ok()) return points.status();
      for (const auto& [run, point] : *points) {
        if (places[run] == WantedRuns::kNone) continue;
        const profile::ChunkRun& of = chunk->runs()[run];
        AddPoint(of.sample_rate, of.repetitions, point, sums[places[run]]);
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace gprofhub::reporter
