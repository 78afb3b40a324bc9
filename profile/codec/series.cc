// A segment is
//   version (1 byte: 1), sample_rate (8 bytes: a little-endian double),
//   repetitions (varint), points (varint: their number), then for each point,
//   ascending by hash, four varints: the hash less the point's before (the
//   first: less 0), calls, self samples, inherited samples. Samples are in
//   units of 1/1024: far below one sample's own error, and a whole number of
//   samples stays exact.
// That is about ten bytes a point, six of them the hash's.

#include "profile/codec/series.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"

namespace gprofhub::profile {
namespace {

using google::protobuf::io::CodedInputStream;
using google::protobuf::io::CodedOutputStream;
using google::protobuf::io::StringOutputStream;

constexpr uint8_t kVersion = 1;
constexpr int kHashBits = 48;
constexpr double kUnitsPerSample = 1024;
constexpr uint64_t kMostUnits = uint64_t{1} << 53;
constexpr size_t kSmallestPoint = 4;

uint64_t ToUnits(double samples) {
  if (!(samples > 0)) return 0;
  const double units = std::round(samples * kUnitsPerSample);
  return units >= static_cast<double>(kMostUnits) ? kMostUnits : static_cast<uint64_t>(units);
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
  std::string bytes;
  {
    StringOutputStream stream(&bytes);
    CodedOutputStream out(&stream);
    out.WriteRaw(&kVersion, 1);
    uint64_t rate = 0;
    std::memcpy(&rate, &profile.sample_rate, sizeof rate);
    out.WriteLittleEndian64(rate);
    out.WriteVarint32(profile.repetitions);
    out.WriteVarint64(count);
    uint64_t previous = 0;
    for (auto point = begin; point != end; ++point) {
      out.WriteVarint64(point->first - previous);
      previous = point->first;
      out.WriteVarint64(point->second.calls);
      out.WriteVarint64(point->second.self);
      out.WriteVarint64(point->second.inherited);
    }
  }
  return bytes;
}

// Reads a segment's numbers; the first failure stays.
class Reader {
 public:
  explicit Reader(absl::string_view bytes)
      : size_(bytes.size()),
        input_(reinterpret_cast<const uint8_t*>(bytes.data()), static_cast<int>(bytes.size())) {}

  size_t remaining() { return size_ - input_.CurrentPosition(); }
  const absl::Status& status() const { return status_; }

  uint8_t Byte(absl::string_view field) {
    uint8_t value = 0;
    if (status_.ok() && !input_.ReadRaw(&value, 1)) Fail(field, "the segment ends here");
    return value;
  }

  uint64_t Varint(absl::string_view field, uint64_t max = UINT64_MAX) {
    uint64_t value = 0;
    if (!status_.ok()) return 0;
    if (!input_.ReadVarint64(&value)) {
      Fail(field, "the segment ends here");
    } else if (value > max) {
      Fail(field, absl::StrFormat("%d is more than %d", value, max));
    }
    return status_.ok() ? value : 0;
  }

  double Double(absl::string_view field) {
    uint64_t raw = 0;
    if (status_.ok() && !input_.ReadLittleEndian64(&raw)) Fail(field, "the segment ends here");
    double value = 0;
    std::memcpy(&value, &raw, sizeof value);
    return value;
  }

  void Fail(absl::string_view field, absl::string_view problem) {
    if (!status_.ok()) return;
    status_ = absl::DataLossError(absl::StrFormat(
        "series segment: %s before byte %d of %d: %s: the stored segment is damaged; analyse the "
        "run again",
        field, input_.CurrentPosition(), size_, problem));
  }

 private:
  size_t size_;
  CodedInputStream input_;
  absl::Status status_;
};

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
    sum.self = std::min(sum.self + units.self, kMostUnits);
    sum.inherited = std::min(sum.inherited + units.inherited, kMostUnits);
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
  if (bytes.size() > INT32_MAX) return absl::DataLossError("series segment: more than 2 GiB");
  Reader reader(bytes);
  SeriesSegment segment;
  if (const uint8_t version = reader.Byte("version"); version != kVersion) {
    reader.Fail("version", absl::StrFormat("%d is not %d", version, kVersion));
  }
  segment.sample_rate = reader.Double("sample_rate");
  if (!std::isfinite(segment.sample_rate) || segment.sample_rate < 0) {
    reader.Fail("sample_rate", "is negative or not a number");
  }
  segment.repetitions = static_cast<uint32_t>(reader.Varint("repetitions", UINT32_MAX));
  const uint64_t count = reader.Varint("points");
  if (count > reader.remaining() / kSmallestPoint) {
    reader.Fail("points", absl::StrFormat("%d points do not fit into the rest", count));
  }
  if (!reader.status().ok()) return reader.status();
  segment.points.reserve(count);
  uint64_t hash = 0;
  for (uint64_t i = 0; i < count && reader.status().ok(); ++i) {
    const uint64_t delta = reader.Varint("hash", kLargestFunctionHash - hash);
    if (i > 0 && delta == 0) reader.Fail("hash", "is there twice");
    hash += delta;
    SeriesPoint point;
    point.function_hash = hash;
    point.calls = reader.Varint("calls");
    const uint64_t self = reader.Varint("self samples", kMostUnits);
    const uint64_t inherited = reader.Varint("inherited samples", kMostUnits);
    point.self_samples = static_cast<double>(self) / kUnitsPerSample;
    point.total_samples = static_cast<double>(self + inherited) / kUnitsPerSample;
    segment.points.push_back(point);
  }
  if (reader.remaining() > 0) reader.Fail("points", "bytes follow the last one");
  if (!reader.status().ok()) return reader.status();
  return segment;
}

}  // namespace gprofhub::profile
