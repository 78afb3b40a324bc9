// A segment is
//   version (1 byte: 1), sample_rate (8 bytes: a little-endian double),
//   repetitions (varint), points (varint: their number), then for each point,
//   ascending by hash, four varints: the hash minus that of the preceding point
//   (the first: minus 0), calls, self samples, inherited samples. Samples are in
//   units of 1/1024: far below one sample's own error, and a whole number of
//   samples stays exact.
// A point takes about ten bytes, six of them for the hash.
#include "profile/codec/series.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "profile/codec/symbol_rows.h"

namespace gprofhub::profile {

namespace {

constexpr char kSeriesVersion = 1;
constexpr int kHashBits = 48;
constexpr double kUnitsPerSample = 1024;
constexpr uint64_t kMostSeriesUnits = uint64_t{1} << 53;
constexpr size_t kSmallestPoint = 4;

uint64_t ToUnits(double samples) {
  if (!(samples > 0)) return 0;
  const double units = std::round(samples * kUnitsPerSample);
  return units >= static_cast<double>(kMostSeriesUnits) ? kMostSeriesUnits
                                                        : static_cast<uint64_t>(units);
}

struct Units {
  uint64_t calls = 0;
  uint64_t self = 0;
  uint64_t inherited = 0;
};

using Points = std::map<uint64_t, Units>;

uint64_t AddSaturated(uint64_t a, uint64_t b) {
  uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

std::string EncodeSegment(const ComputedProfile& profile, Points::const_iterator begin,
                          Points::const_iterator end, uint64_t count) {
  std::string bytes(1, kSeriesVersion);
  uint64_t rate = 0;
  std::memcpy(&rate, &profile.sample_rate, sizeof rate);
  for (size_t i = 0; i < sizeof rate; ++i) bytes += static_cast<char>(rate >> (8 * i) & 0xff);
  AppendVarint(profile.repetitions, bytes);
  AppendVarint(count, bytes);
  uint64_t previous = 0;
  for (auto point = begin; point != end; ++point) {
    AppendVarint(point->first - previous, bytes);
    previous = point->first;
    AppendVarint(point->second.calls, bytes);
    AppendVarint(point->second.self, bytes);
    AppendVarint(point->second.inherited, bytes);
  }
  return bytes;
}

// Reads a segment's numbers; the first failure stays.
class ChunkReader {
 public:
  explicit ChunkReader(absl::string_view bytes) : size_(bytes.size()), rest_(bytes) {}

  size_t remaining() const { return rest_.size(); }
  const absl::Status& status() const { return status_; }
  bool ok() const { return ok_; }

  uint8_t Byte(absl::string_view field) { return static_cast<uint8_t>(Fixed(field, 1)); }

  uint64_t Varint(absl::string_view field, uint64_t max = UINT64_MAX) {
    uint64_t value = 0;
    if (!ok_) return 0;
    if (!TakeVarint(rest_, value)) {
      Fail(field, "the segment ends here");
    } else if (value > max) {
      Fail(field, absl::StrFormat("%d is more than %d", value, max));
    }
    return ok_ ? value : 0;
  }

  double Double(absl::string_view field) {
    const uint64_t raw = Fixed(field, 8);
    double value = 0;
    std::memcpy(&value, &raw, sizeof value);
    return value;
  }

  void Fail(absl::string_view field, absl::string_view problem) {
    if (!ok_) return;
    ok_ = false;
    status_ = absl::DataLossError(absl::StrFormat(
        "series segment: %s before byte %d of %d: %s: the stored segment is damaged; analyse the "
        "run again",
        field, size_ - rest_.size(), size_, problem));
  }

 private:
  // 0: absent.
  uint64_t Fixed(absl::string_view field, size_t size) {
    uint64_t value = 0;
    if (ok_ && !TakeFixed(rest_, size, value)) Fail(field, "the segment ends here");
    return value;
  }

  size_t size_;
  absl::string_view rest_;
  bool ok_ = true;
  absl::Status status_;
};

// Takes the numbers before the points. Returns the number of points.
uint64_t TakeHead(ChunkReader& reader, SeriesSegment& segment) {
  if (const uint8_t version = reader.Byte("version"); version != kSeriesVersion) {
    reader.Fail("version", absl::StrFormat("%d is not %d", version, kSeriesVersion));
  }
  segment.sample_rate = reader.Double("sample_rate");
  if (!std::isfinite(segment.sample_rate) || segment.sample_rate < 0) {
    reader.Fail("sample_rate", "is negative or not a number");
  }
  segment.repetitions = static_cast<uint32_t>(reader.Varint("repetitions", UINT32_MAX));
  const uint64_t count = reader.Varint("points");
  if (count > reader.remaining() / kSmallestPoint) {
    reader.Fail("points", absl::StrFormat("%d points do not fit into the remaining bytes", count));
  }
  return count;
}

// All points are read, so that damage is detected. Those for which `is_wanted` is true are kept.
template <typename IsWanted>
absl::StatusOr<SeriesSegment> Decode(absl::string_view bytes, bool reserve,
                                     const IsWanted& is_wanted) {
  ChunkReader reader(bytes);
  SeriesSegment segment;
  const uint64_t count = TakeHead(reader, segment);
  if (!reader.ok()) return reader.status();
  if (reserve) segment.points.reserve(count);
  uint64_t hash = 0;
  for (uint64_t i = 0; i < count && reader.ok(); ++i) {
    const uint64_t delta = reader.Varint("hash", kLargestFunctionHash - hash);
    if (i > 0 && delta == 0) reader.Fail("hash", "is repeated");
    hash += delta;
    const uint64_t calls = reader.Varint("calls");
    const uint64_t self = reader.Varint("self samples", kMostSeriesUnits);
    const uint64_t inherited = reader.Varint("inherited samples", kMostSeriesUnits);
    if (!is_wanted(hash)) continue;
    segment.points.push_back({hash, calls, static_cast<double>(self) / kUnitsPerSample,
                              static_cast<double>(self + inherited) / kUnitsPerSample});
  }
  if (reader.remaining() > 0) reader.Fail("points", "bytes follow the last one");
  if (!reader.ok()) return reader.status();
  return segment;
}

}  // namespace

uint64_t FunctionHash(absl::string_view name, absl::string_view file_if_static) {
  uint64_t hash = 0xcbf29ce484222325;
  auto add = [&hash](unsigned char byte) { hash = (hash ^ byte) * 0x100000001b3; };
  for (const char c : name) add(static_cast<unsigned char>(c));
  add(0);
  for (const char c : file_if_static) add(static_cast<unsigned char>(c));
  return hash >> (64 - kHashBits);
}

uint32_t SeriesBucket(uint64_t function_hash) {
  return static_cast<uint32_t>(function_hash >> (kHashBits - 4)) & (kSeriesBuckets - 1);
}

std::vector<std::string> EncodeSeries(const ComputedProfile& profile) {
  Points points;
  for (const FunctionCost& function : profile.functions) {
    const Units units{AddSaturated(function.calls, function.self_calls),
                      ToUnits(function.self_samples), ToUnits(function.child_samples)};
    if (units.calls == 0 && units.self == 0 && units.inherited == 0) continue;
    const absl::string_view file =
        function.is_static ? absl::string_view(profile.strings[function.file]) : "";
    Units& sum = points[FunctionHash(profile.strings[function.name], file)];
    sum.calls = AddSaturated(sum.calls, units.calls);
    sum.self = std::min(sum.self + units.self, kMostSeriesUnits);
    sum.inherited = std::min(sum.inherited + units.inherited, kMostSeriesUnits);
  }
  std::vector<std::string> segments;
  auto begin = points.cbegin();
  for (uint32_t bucket = 0; bucket < kSeriesBuckets; ++bucket) {
    uint64_t count = 0;
    auto end = begin;
    for (; end != points.cend() && SeriesBucket(end->first) == bucket; ++end) ++count;
    segments.push_back(EncodeSegment(profile, begin, end, count));
    begin = end;
  }
  return segments;
}

absl::StatusOr<SeriesSegment> DecodeSeries(absl::string_view bytes) {
  return Decode(bytes, /*reserve=*/true, [](uint64_t) { return true; });
}

absl::StatusOr<SeriesSegment> DecodeSeriesOf(absl::string_view bytes,
                                             absl::Span<const uint64_t> hashes) {
  return Decode(bytes, /*reserve=*/false, [hashes](uint64_t hash) {
    return std::find(hashes.begin(), hashes.end(), hash) != hashes.end();
  });
}

// A chunk's runs are
//   version (1 byte: 1), runs (varint: their number), then a packed column (packed_ints.h) each of:
//   the run ids, each minus its predecessor; the sample rates, as the bits of a double;
//   repetitions.
// A function's points are packed columns, too: for each run whether it has a point; then of its
// points the calls, the self samples and the inherited samples in units of 1/1024. A function of a
// deterministic test takes about 20 bytes for the calls of 256 runs. Most of the space is for
// samples, in proportion to the bits of their scatter.

namespace {

// as in series.cc

uint64_t SeriesChunkToUnits(double samples) {
  return static_cast<uint64_t>(std::llround(samples * kUnitsPerSample));
}

double ToSamples(uint64_t units) { return static_cast<double>(units) / kUnitsPerSample; }

absl::Status DamagedChunk(absl::string_view field) {
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
      columns.self.push_back(SeriesChunkToUnits(point.self_samples));
      columns.inherited.push_back(SeriesChunkToUnits(point.total_samples) - columns.self.back());
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
  std::string bytes(1, kSeriesVersion);
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
  if (bytes.empty() || bytes.front() != kSeriesVersion) return DamagedChunk("version");
  bytes.remove_prefix(1);
  uint64_t count = 0;
  if (!TakeVarint(bytes, count) || count > kMostRunsOfChunk) return DamagedChunk("runs");
  std::vector<ChunkRun> runs;
  if (!TakeRunTable(bytes, count, runs)) return DamagedChunk("runs");
  if (!bytes.empty()) return DamagedChunk("bytes follow the last run");
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
  if (!TakePacked(bytes, runs, has_point)) return DamagedChunk("points");
  const auto count =
      static_cast<size_t>(std::count(has_point.begin(), has_point.end(), uint64_t{1}));
  if (!TakePacked(bytes, count, calls)) return DamagedChunk("calls");
  if (!TakePacked(bytes, count, self)) return DamagedChunk("self samples");
  if (!TakePacked(bytes, count, inherited)) return DamagedChunk("inherited samples");
  if (!bytes.empty()) return DamagedChunk("bytes follow the last column");
  for (size_t i = 0; i < count; ++i) {
    if (self[i] > kMostSeriesUnits || inherited[i] > kMostSeriesUnits)
      return DamagedChunk("samples");
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
