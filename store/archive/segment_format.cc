#include "store/archive/segment_format.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace gprofhub::store {
namespace {

constexpr absl::string_view kBegin = "gphseg 1";
constexpr absl::string_view kEnd = "gphseg/1";
constexpr size_t kNumberBytes = 8;
constexpr size_t kHashBytes = 32;
constexpr size_t kListedBytes = kHashBytes + 2 * kNumberBytes;
constexpr size_t kTailBytes = 2 * kNumberBytes + 8;

void AppendNumber(uint64_t number, std::string& to) {
  for (size_t i = 0; i < kNumberBytes; ++i) to += static_cast<char>(number >> (8 * i));
}

uint64_t NumberAt(absl::string_view bytes, size_t at) {
  uint64_t number = 0;
  for (size_t i = 0; i < kNumberBytes; ++i) {
    number |= uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  }
  return number;
}

absl::Status NotASegment(absl::string_view why) {
  return absl::DataLossError(absl::StrCat("not a complete segment: ", why));
}

}  // namespace

SegmentWriter::SegmentWriter() : segment_(kBegin) {}

void SegmentWriter::Add(const BlobName& name, absl::string_view bytes) {
  blobs_.push_back({name, segment_.size(), bytes.size()});
  absl::StrAppend(&segment_, bytes);
}

uint64_t SegmentWriter::blob_bytes() const { return segment_.size() - kBegin.size(); }

std::string SegmentWriter::Finish() {
  const uint64_t list = segment_.size();
  for (const SegmentBlob& blob : blobs_) {
    absl::StrAppend(&segment_, absl::HexStringToBytes(blob.name));
    AppendNumber(blob.first_byte, segment_);
    AppendNumber(blob.length, segment_);
  }
  AppendNumber(list, segment_);
  AppendNumber(blobs_.size(), segment_);
  absl::StrAppend(&segment_, kEnd);
  return std::move(segment_);
}

absl::StatusOr<std::vector<SegmentBlob>> ReadSegmentIndex(absl::string_view segment) {
  if (segment.size() < kBegin.size() + kTailBytes) return NotASegment("it is too short");
  if (!absl::StartsWith(segment, kBegin)) return NotASegment("it does not begin like one");
  if (!absl::EndsWith(segment, kEnd)) return NotASegment("it does not end like one");
  const size_t tail = segment.size() - kTailBytes;
  const uint64_t list = NumberAt(segment, tail);
  const uint64_t count = NumberAt(segment, tail + kNumberBytes);
  if (list < kBegin.size() || list > tail || (tail - list) % kListedBytes != 0 ||
      count != (tail - list) / kListedBytes) {
    return NotASegment("its index has another length");
  }
  std::vector<SegmentBlob> blobs;
  blobs.reserve(count);
  uint64_t next = kBegin.size();
  for (size_t at = list; at < tail; at += kListedBytes) {
    SegmentBlob blob = {absl::BytesToHexString(segment.substr(at, kHashBytes)),
                        NumberAt(segment, at + kHashBytes),
                        NumberAt(segment, at + kHashBytes + kNumberBytes)};
    if (blob.first_byte != next || blob.length > list - next) {
      return NotASegment("a blob does not lie where the one before it ends");
    }
    next += blob.length;
    blobs.push_back(std::move(blob));
  }
  if (next != list) return NotASegment("its index does not follow its blobs");
  return blobs;
}

}  // namespace gprofhub::store
