#include "store/shelving/box_format.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace gprofhub::store {
namespace {

constexpr absl::string_view kBegin = "gphbox 1";
constexpr absl::string_view kEnd = "gphbox/1";
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

absl::Status NoBox(absl::string_view why) {
  return absl::DataLossError(absl::StrCat("this is no whole box: ", why));
}

}  // namespace

BoxFiller::BoxFiller() : box_(kBegin) {}

void BoxFiller::Add(const BlobName& name, absl::string_view bytes) {
  blobs_.push_back({name, box_.size(), bytes.size()});
  absl::StrAppend(&box_, bytes);
}

uint64_t BoxFiller::blob_bytes() const { return box_.size() - kBegin.size(); }

std::string BoxFiller::Finish() {
  const uint64_t list = box_.size();
  for (const BoxedBlob& blob : blobs_) {
    absl::StrAppend(&box_, absl::HexStringToBytes(blob.name));
    AppendNumber(blob.first_byte, box_);
    AppendNumber(blob.length, box_);
  }
  AppendNumber(list, box_);
  AppendNumber(blobs_.size(), box_);
  absl::StrAppend(&box_, kEnd);
  return std::move(box_);
}

absl::StatusOr<std::vector<BoxedBlob>> ReadBoxList(absl::string_view box) {
  if (box.size() < kBegin.size() + kTailBytes) return NoBox("it is too short");
  if (!absl::StartsWith(box, kBegin)) return NoBox("it does not begin like one");
  if (!absl::EndsWith(box, kEnd)) return NoBox("it does not end like one");
  const size_t tail = box.size() - kTailBytes;
  const uint64_t list = NumberAt(box, tail);
  const uint64_t count = NumberAt(box, tail + kNumberBytes);
  if (list < kBegin.size() || list > tail || (tail - list) % kListedBytes != 0 ||
      count != (tail - list) / kListedBytes) {
    return NoBox("its list has another length");
  }
  std::vector<BoxedBlob> blobs;
  blobs.reserve(count);
  uint64_t next = kBegin.size();
  for (size_t at = list; at < tail; at += kListedBytes) {
    BoxedBlob blob = {absl::BytesToHexString(box.substr(at, kHashBytes)),
                      NumberAt(box, at + kHashBytes),
                      NumberAt(box, at + kHashBytes + kNumberBytes)};
    if (blob.first_byte != next || blob.length > list - next) {
      return NoBox("a blob does not lie where the one before it ends");
    }
    next += blob.length;
    blobs.push_back(std::move(blob));
  }
  if (next != list) return NoBox("its list does not follow its blobs");
  return blobs;
}

}  // namespace gprofhub::store
