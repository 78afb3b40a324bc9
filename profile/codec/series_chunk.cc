// A chunk is
//   version (1 byte: 1), runs (varint: their number), then a packed column (packed_ints.h) each of:
//   the run ids, each less the one before; the sample rates, as the bits of a double; repetitions.
//   functions (varint: their number), then for each, ascending by hash: the hash less the one
//   before (varint), how many bytes its columns take (varint). Then the columns, in the same order:
//   for each run whether it has a point; then of its points the calls, the self samples and the
//   inherited samples in units of 1/1024.
// A function of a test that repeats takes about 20 bytes for the calls of 256 runs. What takes room
// are samples: as many bits as their scatter has.

#include "profile/codec/series_chunk.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "profile/codec/packed_ints.h"
#include "profile/codec/wire.h"

namespace gprofhub::profile {
namespace {

constexpr char kVersion = 1;
constexpr double kUnitsPerSample = 1024;
constexpr uint64_t kMostUnits = uint64_t{1} << 53;  // as in series.cc

uint64_t ToUnits(double samples) {
  return static_cast<uint64_t>(std::llround(samples * kUnitsPerSample));
}

double ToSamples(uint64_t units) { return static_cast<double>(units) / kUnitsPerSample; }

absl::Status Damaged(absl::string_view field) {
  return absl::DataLossError(absl::StrCat("sealed points: ", field,
                                          ": the stored chunk is damaged; restore the last good "
                                          "backup"));
}

struct Columns {
  std::vector<uint64_t> has_point, calls, self, inherited;
};

std::map<uint64_t, Columns> ByFunction(absl::Span<const RunSegment> runs) {
  std::map<uint64_t, Columns> functions;
  for (size_t run = 0; run < runs.size(); ++run) {
    for (const SeriesPoint& point : runs[run].segment.points) {
      Columns& columns = functions[point.function_hash];
      columns.has_point.resize(runs.size());
      columns.has_point[run] = 1;
      columns.calls.push_back(point.calls);
      columns.self.push_back(ToUnits(point.self_samples));
      columns.inherited.push_back(ToUnits(point.total_samples) - columns.self.back());
    }
  }
  return functions;
}

bool TakeRunTable(absl::string_view& bytes, size_t count, std::vector<ChunkRun>& runs) {
  std::vector<uint64_t> ids, rates, repetitions;
  if (!TakePacked(bytes, count, ids) || !TakePacked(bytes, count, rates) ||
      !TakePacked(bytes, count, repetitions)) {
    return false;
  }
  uint64_t id = 0;
  for (size_t i = 0; i < count; ++i) {
    if (ids[i] == 0 || ids[i] > static_cast<uint64_t>(INT64_MAX) - id) return false;
    id += ids[i];
    ChunkRun& run = runs.emplace_back();
    run.run_id = static_cast<int64_t>(id);
    std::memcpy(&run.sample_rate, &rates[i], sizeof run.sample_rate);
    if (!std::isfinite(run.sample_rate) || run.sample_rate < 0) return false;
    if (repetitions[i] > UINT32_MAX) return false;
    run.repetitions = static_cast<uint32_t>(repetitions[i]);
  }
  return true;
}

}  // namespace

std::string EncodeSeriesChunk(absl::Span<const RunSegment> runs) {
  std::string bytes(1, kVersion);
  AppendVarint(runs.size(), bytes);
  std::vector<uint64_t> ids, rates, repetitions;
  int64_t previous_id = 0;
  for (const RunSegment& run : runs) {
    ids.push_back(static_cast<uint64_t>(run.run_id - std::exchange(previous_id, run.run_id)));
    uint64_t rate = 0;
    std::memcpy(&rate, &run.segment.sample_rate, sizeof rate);
    rates.push_back(rate);
    repetitions.push_back(run.segment.repetitions);
  }
  for (const std::vector<uint64_t>* column : {&ids, &rates, &repetitions}) {
    AppendPacked(*column, bytes);
  }
  const std::map<uint64_t, Columns> functions = ByFunction(runs);
  AppendVarint(functions.size(), bytes);
  std::string columns;
  uint64_t previous_hash = 0;
  for (const auto& [hash, of_function] : functions) {
    const size_t before = columns.size();
    for (const std::vector<uint64_t>* column :
         {&of_function.has_point, &of_function.calls, &of_function.self, &of_function.inherited}) {
      AppendPacked(*column, columns);
    }
    AppendVarint(hash - std::exchange(previous_hash, hash), bytes);
    AppendVarint(columns.size() - before, bytes);
  }
  return bytes + columns;
}

absl::StatusOr<SeriesChunk> SeriesChunk::Parse(absl::string_view bytes) {
  if (bytes.empty() || bytes.front() != kVersion) return Damaged("version");
  bytes.remove_prefix(1);
  uint64_t runs = 0;
  if (!TakeVarint(bytes, runs) || runs > kMostRunsOfChunk) return Damaged("runs");
  SeriesChunk chunk;
  if (!TakeRunTable(bytes, runs, chunk.runs_)) return Damaged("runs");
  uint64_t functions = 0;
  // Each has two numbers in the table at least.
  if (!TakeVarint(bytes, functions) || functions > bytes.size() / 2) return Damaged("functions");
  std::vector<uint64_t> sizes;
  uint64_t hash = 0;
  for (uint64_t i = 0; i < functions; ++i) {
    uint64_t step = 0;
    if (!TakeVarint(bytes, step) || !TakeVarint(bytes, sizes.emplace_back())) {
      return Damaged("functions");
    }
    if ((step == 0 && i > 0) || step > kLargestFunctionHash - hash) return Damaged("functions");
    hash += step;
    chunk.functions_.push_back({hash, {}});
  }
  for (uint64_t i = 0; i < functions; ++i) {
    if (sizes[i] > bytes.size()) return Damaged("columns");
    chunk.functions_[i].columns = bytes.substr(0, sizes[i]);
    bytes.remove_prefix(sizes[i]);
  }
  if (!bytes.empty()) return Damaged("bytes follow the last column");
  return chunk;
}

absl::StatusOr<std::vector<ChunkPoint>> SeriesChunk::PointsOf(size_t function) const {
  absl::string_view rest = functions_[function].columns;
  std::vector<uint64_t> has_point, calls, self, inherited;
  if (!TakePacked(rest, runs_.size(), has_point)) return Damaged("points");
  const auto count =
      static_cast<size_t>(std::count(has_point.begin(), has_point.end(), uint64_t{1}));
  if (!TakePacked(rest, count, calls)) return Damaged("calls");
  if (!TakePacked(rest, count, self)) return Damaged("self samples");
  if (!TakePacked(rest, count, inherited) || !rest.empty()) return Damaged("inherited samples");
  for (size_t i = 0; i < count; ++i) {
    if (self[i] > kMostUnits || inherited[i] > kMostUnits) return Damaged("samples");
  }
  std::vector<ChunkPoint> points;
  points.reserve(count);
  for (size_t run = 0; run < runs_.size(); ++run) {
    if (has_point[run] == 0) continue;
    const size_t i = points.size();
    points.push_back({run,
                      {functions_[function].hash, calls[i], ToSamples(self[i]),
                       ToSamples(self[i]) + ToSamples(inherited[i])}});
  }
  return points;
}

absl::StatusOr<std::vector<RunSegment>> DecodeSeriesChunk(absl::string_view bytes) {
  const absl::StatusOr<SeriesChunk> chunk = SeriesChunk::Parse(bytes);
  if (!chunk.ok()) return chunk.status();
  std::vector<RunSegment> runs;
  for (const ChunkRun& run : chunk->runs()) {
    runs.push_back({run.run_id, {run.sample_rate, run.repetitions, {}}});
  }
  for (size_t function = 0; function < chunk->functions(); ++function) {
    const absl::StatusOr<std::vector<ChunkPoint>> points = chunk->PointsOf(function);
    if (!points.ok()) return points.status();
    for (const ChunkPoint& point : *points) runs[point.run].segment.points.push_back(point.point);
  }
  return runs;
}

}  // namespace gprofhub::profile
