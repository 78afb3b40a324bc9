#include "profile/gmon/writer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "profile/format/gmon.h"

namespace gprofhub::profile {

namespace {

// Bytes of a profile file, in a program's byte order and address size.

class ByteEncoder {
 public:
  ByteEncoder(int address_size, bool big_endian)
      : address_size_(address_size), big_endian_(big_endian) {}

  // Reserves this many bytes in total.
  void Reserve(size_t bytes) { bytes_.reserve(bytes); }
  // `size` bytes, at most 8.
  void Number(uint64_t value, int size) {
    char text[sizeof value];
    for (int i = 0; i < size; ++i) {
      text[big_endian_ ? size - 1 - i : i] = static_cast<char>(value >> (8 * i));
    }
    bytes_.append(text, static_cast<size_t>(size));
  }
  void Word(uint64_t value) { Number(value, address_size_); }
  // Padded with zeros to `size`.
  void Text(absl::string_view text, size_t size) {
    bytes_.append(text.data(), text.size());
    bytes_.append(size - text.size(), '\0');
  }
  std::string Take() { return std::move(bytes_); }

 private:
  int address_size_;
  bool big_endian_;
  std::string bytes_;
};

constexpr uint64_t kMaxFileSize = uint64_t{4} << 30;

uint64_t Pieces(uint64_t count, uint64_t limit) { return count / limit + (count % limit != 0); }

uint64_t HistogramRecords(const Histogram& histogram) {
  uint64_t largest = 0;
  for (const uint64_t bin : histogram.bins) largest = std::max(largest, bin);
  return std::max<uint64_t>(1, Pieces(largest, GMON_BIN_MAX));
}

uint64_t ArcRecords(const RawArc& arc) {
  return std::max<uint64_t>(1, Pieces(arc.count, GMON_ARC_COUNT_MAX));
}

// Size of the file, in bytes. InvalidArgument: a value does not fit.
absl::StatusOr<uint64_t> SizeOf(const RawProfile& profile, const GmonWriteOptions& options) {
  if (options.address_size != 4 && options.address_size != 8) {
    return absl::InvalidArgumentError(
        absl::StrFormat("address size %d: must be 4 or 8", options.address_size));
  }
  const uint64_t max = options.address_size == 8 ? UINT64_MAX : UINT32_MAX;
  const int word = options.address_size;
  uint64_t room = kMaxFileSize - GMON_HEADER_SIZE;
  auto fits = [max](uint64_t value) -> absl::Status {
    if (value <= max) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrFormat("%#x does not fit into a 4-byte word: write 8-byte addresses", value));
  };
  auto take = [&room](uint64_t records, uint64_t size) -> absl::Status {
    if (records > room / size) {
      return absl::InvalidArgumentError(
          "the file would exceed 4 GiB because of large counts; write fewer profiles into one "
          "file");
    }
    room -= records * size;
    return absl::OkStatus();
  };
  for (const Histogram& histogram : profile.histograms) {
    if (histogram.dimension.size() > GMON_DIMENSION_SIZE) {
      return absl::InvalidArgumentError(
          absl::StrFormat("dimension too long: %d characters; the limit is %d",
                          histogram.dimension.size(), GMON_DIMENSION_SIZE));
    }
    if (histogram.bins.size() > UINT32_MAX) {
      return absl::InvalidArgumentError("a histogram has more than 2^32-1 bins");
    }
    RETURN_IF_ERROR(fits(histogram.low_pc));
    RETURN_IF_ERROR(fits(histogram.high_pc));
    const uint64_t size = 1 + GMON_HISTOGRAM_SIZE(word) + GMON_BIN_SIZE * histogram.bins.size();
    RETURN_IF_ERROR(take(HistogramRecords(histogram), size));
  }
  for (const RawArc& arc : profile.arcs) {
    RETURN_IF_ERROR(fits(arc.from_pc));
    RETURN_IF_ERROR(fits(arc.self_pc));
    RETURN_IF_ERROR(take(ArcRecords(arc), 1 + GMON_ARC_SIZE(word)));
  }
  if (profile.blocks.size() > UINT32_MAX) {
    return absl::InvalidArgumentError("more than 2^32-1 basic blocks");
  }
  for (const BasicBlock& block : profile.blocks) {
    RETURN_IF_ERROR(fits(block.pc));
    RETURN_IF_ERROR(fits(block.count));
  }
  if (!profile.blocks.empty()) {
    RETURN_IF_ERROR(take(1, 1 + GMON_BLOCKS_SIZE));
    RETURN_IF_ERROR(take(profile.blocks.size(), GMON_BLOCK_SIZE(word)));
  }
  return kMaxFileSize - room;
}

void WriteHistogram(const Histogram& histogram, ByteEncoder& out) {
  const uint64_t records = HistogramRecords(histogram);
  for (uint64_t record = 0; record < records; ++record) {
    out.Number(GMON_TAG_HISTOGRAM, 1);
    out.Word(histogram.low_pc);
    out.Word(histogram.high_pc);
    out.Number(histogram.bins.size(), 4);
    out.Number(histogram.rate, 4);
    out.Text(histogram.dimension, GMON_DIMENSION_SIZE);
    out.Number(static_cast<unsigned char>(histogram.abbreviation), 1);
    const uint64_t written = record * GMON_BIN_MAX;
    for (const uint64_t bin : histogram.bins) {
      const uint64_t left = bin > written ? bin - written : 0;
      out.Number(std::min<uint64_t>(left, GMON_BIN_MAX), GMON_BIN_SIZE);
    }
  }
}

void WriteArc(const RawArc& arc, ByteEncoder& out) {
  uint64_t left = arc.count;
  do {
    const uint64_t count = std::min<uint64_t>(left, GMON_ARC_COUNT_MAX);
    out.Number(GMON_TAG_ARC, 1);
    out.Word(arc.from_pc);
    out.Word(arc.self_pc);
    out.Number(count, 4);
    left -= count;
  } while (left > 0);
}

void WriteBlocks(const std::vector<BasicBlock>& blocks, ByteEncoder& out) {
  out.Number(GMON_TAG_BLOCKS, 1);
  out.Number(blocks.size(), 4);
  for (const BasicBlock& block : blocks) {
    out.Word(block.pc);
    out.Word(block.count);
  }
}

}  // namespace

absl::StatusOr<std::string> WriteGmon(const RawProfile& profile, const GmonWriteOptions& options) {
  ASSIGN_OR_RETURN(const uint64_t size, SizeOf(profile, options));
  ByteEncoder out(options.address_size, options.big_endian);
  out.Reserve(size);
  out.Text(GMON_MAGIC, GMON_MAGIC_SIZE);
  out.Number(GMON_VERSION, 4);
  out.Text(options.has_exact_callers ? GMON_SPARE : "", GMON_SPARE_SIZE);
  for (const Histogram& histogram : profile.histograms) WriteHistogram(histogram, out);
  for (const RawArc& arc : profile.arcs) WriteArc(arc, out);
  if (!profile.blocks.empty()) WriteBlocks(profile.blocks, out);
  return out.Take();
}

namespace {

constexpr size_t kSpareSize = 12;

absl::Status HasNoPlace(absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("the BSD format cannot represent ", what, "; use the GNU format, without -O"));
}

absl::Status Check(const RawProfile& profile, const GmonWriteOptions& options) {
  if (options.address_size != 4 && options.address_size != 8) {
    return absl::InvalidArgumentError(
        absl::StrFormat("address size %d: must be 4 or 8", options.address_size));
  }
  const uint64_t max = options.address_size == 8 ? UINT64_MAX : UINT32_MAX;
  if (profile.histograms.size() > 1) return HasNoPlace("a second histogram");
  if (!profile.blocks.empty()) return HasNoPlace("basic blocks");
  for (const Histogram& histogram : profile.histograms) {
    if (histogram.low_pc > max || histogram.high_pc > max)
      return HasNoPlace("addresses of this size");
    if (histogram.bins.size() > (UINT32_MAX - 40) / GMON_BIN_SIZE)
      return HasNoPlace("a histogram of this size");
    for (const uint64_t bin : histogram.bins) {
      if (bin > GMON_BIN_MAX) return HasNoPlace(absl::StrFormat("a bin of %d samples", bin));
    }
  }
  for (const RawArc& arc : profile.arcs) {
    if (arc.from_pc > max || arc.self_pc > max) return HasNoPlace("addresses of this size");
    if (arc.count > max) return HasNoPlace(absl::StrFormat("%d calls of one arc", arc.count));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> WriteBsd(const RawProfile& profile, const GmonWriteOptions& options,
                                     bool with_version) {
  RETURN_IF_ERROR(Check(profile, options));
  const Histogram none;
  const Histogram& histogram = profile.histograms.empty() ? none : profile.histograms.front();
  const size_t header =
      2 * static_cast<size_t>(options.address_size) + 4 + (with_version ? 8 + kSpareSize : 0);
  ByteEncoder out(options.address_size, options.big_endian);
  out.Word(histogram.low_pc);
  out.Word(histogram.high_pc);
  out.Number(header + GMON_BIN_SIZE * histogram.bins.size(), 4);
  if (with_version) {
    out.Number(k44BsdVersion, 4);
    out.Number(histogram.rate, 4);
    out.Text("", kSpareSize);
  }
  for (const uint64_t bin : histogram.bins) out.Number(bin, GMON_BIN_SIZE);
  for (const RawArc& arc : profile.arcs) {
    out.Word(arc.from_pc);
    out.Word(arc.self_pc);
    out.Word(arc.count);
  }
  return out.Take();
}

}  // namespace gprofhub::profile
