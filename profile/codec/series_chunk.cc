// A chunk's runs are
//   version (1 byte: 1), runs (varint: their number), then a packed column (packed_ints.h) each of:
//   the run ids, each minus its predecessor; the sample rates, as the bits of a double;
//   repetitions.
// A function's points are packed columns, too: for each run whether it has a point; then of its
// points the calls, the self samples and the inherited samples in units of 1/1024. A function of a
// deterministic test takes about 20 bytes for the calls of 256 runs. Most of the space is for
// samples, in proportion to the bits of their scatter.

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

std::string EncodeChunkRuns(absl::Span<const ChunkRun> runs) {
  std::string bytes(1, kVersion);
  AppendVarint(runs.size(), bytes);
  std::vector<uint64_t> ids, rates, repetitions;
  int64_t previous_id = 0;
  for (const ChunkRun& run : runs) {
    ids.push_back(static_cast<uint64_t>(run.run_id - std::exchange(previous_id, run.run_id)));
    uint64_t rate = 0;
    std::memcpy(&rate, &run.sample_rate, sizeof rate);
    rates.push_back(rate);
    repetitions.push_back(run.repetitions);
  }
  for (const std::vector<uint64_t>* column : {&ids, &rates, &repetitions}) {
    AppendPacked(*column, bytes);
  }
  return bytes;
}

absl::StatusOr<std::vector<ChunkRun>> DecodeChunkRuns(absl::string_view bytes) {
  if (bytes.empty() || bytes.front() != kVersion) return Damaged("version");
  bytes.remove_prefix(1);
  uint64_t count = 0;
  if (!TakeVarint(bytes, count) || count > kMostRunsOfChunk) return Damaged("runs");
  std::vector<ChunkRun> runs;
  if (!TakeRunTable(bytes, count, runs)) return Damaged("runs");
  if (!bytes.empty()) return Damaged("bytes follow the last run");
  return runs;
}

std::vector<FunctionColumns> EncodeFunctionColumns(absl::Span<const RunSegment> runs) {
  std::vector<FunctionColumns> functions;
  for (const auto& [hash, columns] : ByFunction(runs)) {
    FunctionColumns& function = functions.emplace_back();
    function.function_hash = hash;
    for (const std::vector<uint64_t>* column :
         {&columns.has_point, &columns.calls, &columns.self, &columns.inherited}) {
      AppendPacked(*column, function.bytes);
    }
  }
  return functions;
}

SeriesChunk EncodeSeriesChunk(absl::Span<const RunSegment> runs) {
  std::vector<ChunkRun> of_chunk;
  for (const auto& [id, segment] : runs) {
    of_chunk.push_back({id, segment.sample_rate, segment.repetitions});
  }
  return {EncodeChunkRuns(of_chunk), EncodeFunctionColumns(runs)};
}

absl::StatusOr<std::vector<ChunkPoint>> DecodeFunctionColumns(uint64_t function_hash,
                                                              absl::string_view bytes,
                                                              size_t runs) {
  std::vector<uint64_t> has_point, calls, self, inherited;
  if (!TakePacked(bytes, runs, has_point)) return Damaged("points");
  const auto count =
      static_cast<size_t>(std::count(has_point.begin(), has_point.end(), uint64_t{1}));
  if (!TakePacked(bytes, count, calls)) return Damaged("calls");
  if (!TakePacked(bytes, count, self)) return Damaged("self samples");
  if (!TakePacked(bytes, count, inherited)) return Damaged("inherited samples");
  if (!bytes.empty()) return Damaged("bytes follow the last column");
  for (size_t i = 0; i < count; ++i) {
    if (self[i] > kMostUnits || inherited[i] > kMostUnits) return Damaged("samples");
  }
  std::vector<ChunkPoint> points;
  points.reserve(count);
  for (size_t run = 0; run < runs; ++run) {
    if (has_point[run] != 1) continue;
    const size_t i = points.size();
    points.push_back({run,
                      {function_hash, calls[i], ToSamples(self[i]),
                       ToSamples(self[i]) + ToSamples(inherited[i])}});
  }
  return points;
}

}  // namespace gprofhub::profile
