#include "analyzer/worker/pack_points.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_context.h"
#include "profile/codec/series.h"
#include "profile/codec/series_chunk.h"

namespace gprofhub::analyzer {

absl::StatusOr<std::string> PackPoints(const std::vector<store::RunPoints>& points) {
  std::vector<profile::RunSegment> runs;
  for (const store::RunPoints& of_run : points) {
    absl::StatusOr<profile::SeriesSegment> segment = profile::DecodeSeries(of_run.payload);
    if (!segment.ok()) {
      return base::WithContext(segment.status(), absl::StrCat("run ", of_run.run_id));
    }
    runs.push_back({of_run.run_id, *std::move(segment)});
  }
  return profile::EncodeSeriesChunk(runs);
}

}  // namespace gprofhub::analyzer
