#include "analyzer/worker/pack_points.h"

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_context.h"
#include "profile/codec/series.h"
#include "profile/codec/series_chunk.h"

namespace gprofhub::analyzer {
namespace {

store::PackedPoints ToStore(profile::SeriesChunk chunk) {
  store::PackedPoints packed = {std::move(chunk.runs), {}};
  for (profile::FunctionColumns& function : chunk.functions) {
    packed.functions.push_back(
        {static_cast<int64_t>(function.function_hash), std::move(function.bytes)});
  }
  return packed;
}

// If several chunks have a run, the newest one determines its data.
struct MergedRun {
  size_t newest = 0;
  profile::SeriesSegment segment;
};

}  // namespace

absl::StatusOr<store::PackedPoints> PackPoints(const std::vector<store::RunPoints>& points) {
  std::vector<profile::RunSegment> segments;
  for (const store::RunPoints& of_run : points) {
    absl::StatusOr<profile::SeriesSegment> segment = profile::DecodeSeries(of_run.payload);
    if (!segment.ok()) {
      return base::WithContext(segment.status(), absl::StrCat("run ", of_run.run_id));
    }
    segments.push_back({of_run.run_id, *std::move(segment)});
  }
  return ToStore(profile::EncodeSeriesChunk(segments));
}

absl::StatusOr<store::PackedPoints> MergePoints(const std::vector<store::PackedPoints>& points) {
  std::vector<std::vector<profile::ChunkRun>> lists;
  std::map<int64_t, MergedRun> runs;
  for (const store::PackedPoints& one : points) {
    absl::StatusOr<std::vector<profile::ChunkRun>> list = profile::DecodeChunkRuns(one.runs);
    if (!list.ok()) return list.status();
    for (const profile::ChunkRun& run : *list) {
      runs[run.run_id] = {lists.size(), {run.sample_rate, run.repetitions, {}}};
    }
    lists.push_back(*std::move(list));
  }
  for (size_t i = 0; i < points.size(); ++i) {
    for (const store::FunctionPoints& function : points[i].functions) {
      const absl::StatusOr<std::vector<profile::ChunkPoint>> of_function =
          profile::DecodeFunctionColumns(static_cast<uint64_t>(function.function_hash),
                                         function.payload, lists[i].size());
      if (!of_function.ok()) return of_function.status();
      for (const auto& [run, point] : *of_function) {
        MergedRun& merged = runs[lists[i][run].run_id];
        if (merged.newest == i) merged.segment.points.push_back(point);
      }
    }
  }
  std::vector<profile::RunSegment> segments;
  for (auto& [id, run] : runs) segments.push_back({id, std::move(run.segment)});
  return ToStore(profile::EncodeSeriesChunk(segments));
}

}  // namespace gprofhub::analyzer
