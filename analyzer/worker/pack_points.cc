#include "analyzer/worker/pack_points.h"

#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_context.h"
#include "profile/codec/sealed_bucket.h"
#include "profile/codec/series.h"
#include "profile/codec/series_chunk.h"

namespace gprofhub::analyzer {
namespace {

store::PackedPoints ToStore(std::string runs, std::vector<profile::FunctionColumns> functions) {
  store::PackedPoints packed = {std::move(runs), {}};
  for (profile::FunctionColumns& function : functions) {
    packed.functions.push_back(
        {static_cast<int64_t>(function.function_hash), std::move(function.bytes)});
  }
  return packed;
}

// The segments of all runs, without points yet, ascending by run. `newest` says of each run whose
// word holds: which of `of` it is.
using RunLists = std::vector<std::vector<profile::ChunkRun>>;
std::vector<profile::RunSegment> SegmentsOf(const RunLists& of, std::map<int64_t, size_t>& newest) {
  std::map<int64_t, profile::ChunkRun> runs;
  for (size_t i = 0; i < of.size(); ++i) {
    for (const profile::ChunkRun& run : of[i]) {
      runs[run.run_id] = run;
      newest[run.run_id] = i;
    }
  }
  std::vector<profile::RunSegment> segments;
  for (const auto& [id, run] : runs) {
    segments.push_back({id, {run.sample_rate, run.repetitions, {}}});
  }
  return segments;
}

}  // namespace

absl::StatusOr<store::PackedPoints> PackPoints(const std::vector<store::RunPoints>& points) {
  std::vector<profile::RunSegment> segments;
  std::vector<profile::ChunkRun> runs;
  for (const store::RunPoints& of_run : points) {
    absl::StatusOr<profile::SeriesSegment> segment = profile::DecodeSeries(of_run.payload);
    if (!segment.ok()) {
      return base::WithContext(segment.status(), absl::StrCat("run ", of_run.run_id));
    }
    runs.push_back({of_run.run_id, segment->sample_rate, segment->repetitions});
    segments.push_back({of_run.run_id, *std::move(segment)});
  }
  return ToStore(profile::EncodeChunkRuns(runs), profile::EncodeFunctionColumns(segments));
}

absl::StatusOr<store::PackedPoints> MergePoints(const std::vector<store::PackedPoints>& points) {
  RunLists lists;
  for (const store::PackedPoints& one : points) {
    absl::StatusOr<std::vector<profile::ChunkRun>> runs = profile::DecodeChunkRuns(one.runs);
    if (!runs.ok()) return runs.status();
    lists.push_back(*std::move(runs));
  }
  std::map<int64_t, size_t> newest;
  std::vector<profile::RunSegment> segments = SegmentsOf(lists, newest);
  std::map<int64_t, profile::SeriesSegment*> by_run;
  for (profile::RunSegment& run : segments) by_run[run.run_id] = &run.segment;
  for (size_t i = 0; i < points.size(); ++i) {
    for (const store::FunctionPoints& function : points[i].functions) {
      const auto hash = static_cast<uint64_t>(function.function_hash);
      const absl::StatusOr<std::vector<profile::ChunkPoint>> of_function =
          profile::DecodeFunctionColumns(hash, function.payload, lists[i].size());
      if (!of_function.ok()) return of_function.status();
      for (const auto& [run, point] : *of_function) {
        const int64_t id = lists[i][run].run_id;
        if (newest[id] == i) by_run[id]->points.push_back(point);
      }
    }
  }
  std::vector<profile::ChunkRun> runs;
  for (const profile::RunSegment& run : segments) {
    runs.push_back({run.run_id, run.segment.sample_rate, run.segment.repetitions});
  }
  return ToStore(profile::EncodeChunkRuns(runs), profile::EncodeFunctionColumns(segments));
}

absl::StatusOr<store::PackedPoints> SplitSealedBucket(absl::string_view payload) {
  absl::StatusOr<profile::SealedBucket> bucket = profile::SplitSealedBucket(payload);
  if (!bucket.ok()) return bucket.status();
  return ToStore(std::move(bucket->runs), std::move(bucket->functions));
}

}  // namespace gprofhub::analyzer
