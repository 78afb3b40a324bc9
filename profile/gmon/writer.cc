#include "profile/gmon/writer.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "profile/gmon/byte_encoder.h"
#include "profile/gmon/format.h"

namespace gprofhub::profile {
namespace {

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
          "the counts are so large that the file would exceed 4 GiB: write fewer profiles into "
          "one file");
    }
    room -= records * size;
    return absl::OkStatus();
  };
  for (const Histogram& histogram : profile.histograms) {
    if (histogram.dimension.size() > GMON_DIMENSION_SIZE) {
      return absl::InvalidArgumentError(
          absl::StrFormat("dimension of %d characters: at most %d fit", histogram.dimension.size(),
                          GMON_DIMENSION_SIZE));
    }
    if (histogram.bins.size() > UINT32_MAX) {
      return absl::InvalidArgumentError("a histogram has more than 2^32-1 bins");
    }
    if (absl::Status s = fits(histogram.low_pc); !s.ok()) return s;
    if (absl::Status s = fits(histogram.high_pc); !s.ok()) return s;
    const uint64_t size = 1 + GMON_HISTOGRAM_SIZE(word) + GMON_BIN_SIZE * histogram.bins.size();
    if (absl::Status s = take(HistogramRecords(histogram), size); !s.ok()) return s;
  }
  for (const RawArc& arc : profile.arcs) {
    if (absl::Status s = fits(arc.from_pc); !s.ok()) return s;
    if (absl::Status s = fits(arc.self_pc); !s.ok()) return s;
    if (absl::Status s = take(ArcRecords(arc), 1 + GMON_ARC_SIZE(word)); !s.ok()) return s;
  }
  if (profile.blocks.size() > UINT32_MAX) {
    return absl::InvalidArgumentError("there are more than 2^32-1 basic blocks");
  }
  for (const BasicBlock& block : profile.blocks) {
    if (absl::Status s = fits(block.pc); !s.ok()) return s;
    if (absl::Status s = fits(block.count); !s.ok()) return s;
  }
  if (!profile.blocks.empty()) {
    if (absl::Status s = take(1, 1 + GMON_BLOCKS_SIZE); !s.ok()) return s;
    if (absl::Status s = take(profile.blocks.size(), GMON_BLOCK_SIZE(word)); !s.ok()) return s;
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
  const absl::StatusOr<uint64_t> size = SizeOf(profile, options);
  if (!size.ok()) return size.status();
  ByteEncoder out(options.address_size, options.big_endian);
  out.Reserve(*size);
  out.Text(GMON_MAGIC, GMON_MAGIC_SIZE);
  out.Number(GMON_VERSION, 4);
  out.Text("", GMON_SPARE_SIZE);
  for (const Histogram& histogram : profile.histograms) WriteHistogram(histogram, out);
  for (const RawArc& arc : profile.arcs) WriteArc(arc, out);
  if (!profile.blocks.empty()) WriteBlocks(profile.blocks, out);
  return out.Take();
}

}  // namespace gprofhub::profile
