#include "profile/gmon/check.h"

#include <iterator>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_format.h"
#include "profile/gmon/bsd_format.h"
#include "profile/gmon/format.h"

namespace gprofhub::profile {
namespace {

void CheckRange(GmonCursor& cursor, size_t offset, uint64_t low_pc, uint64_t high_pc,
                uint64_t bins) {
  if (low_pc > high_pc || (bins > 0 && low_pc == high_pc)) {
    cursor.Fail(
        "low_pc", offset,
        absl::StrFormat("the range [%#x, %#x) is empty or reversed: the file is damaged, or "
                        "its addresses are not %d bytes long",
                        low_pc, high_pc, cursor.encoding().address_size));
  }
}

// A dimension is text padded with zeros; anything else means that this is not
// the start of a histogram.
std::string ReadDimension(GmonCursor& cursor) {
  const size_t offset = cursor.offset();
  absl::string_view field = cursor.Raw("dimension", GMON_DIMENSION_SIZE);
  absl::string_view text = field.substr(0, field.find('\0'));
  for (char c : text) {
    if (!absl::ascii_isprint(static_cast<unsigned char>(c))) {
      cursor.Fail("dimension", offset,
                  absl::StrFormat("\"%s\" is not text: the file is damaged, or its addresses are "
                                  "not %d bytes long",
                                  absl::CHexEscape(field), cursor.encoding().address_size));
      return "";
    }
  }
  return std::string(text);
}

// Notes the range, which is one of the others or disjoint from them.
void AddShape(GmonCursor& cursor, size_t offset, uint64_t low_pc, HistogramShape shape,
              GmonReading& reading) {
  const auto next = reading.histograms.lower_bound(low_pc);
  const HistogramShape* other = nullptr;
  uint64_t other_low = 0;
  if (next != reading.histograms.end() && next->first < shape.high_pc) {
    if (next->first == low_pc && next->second.high_pc == shape.high_pc &&
        next->second.bins == shape.bins) {
      return;
    }
    other = &next->second;
    other_low = next->first;
  } else if (next != reading.histograms.begin() && std::prev(next)->second.high_pc > low_pc) {
    other = &std::prev(next)->second;
    other_low = std::prev(next)->first;
  }
  if (other != nullptr) {
    cursor.Fail(
        "low_pc", offset,
        absl::StrFormat("histogram [%#x, %#x) with %d bins overlaps histogram [%#x, %#x) "
                        "with %d bins: the file is damaged, or of several programs",
                        low_pc, shape.high_pc, shape.bins, other_low, other->high_pc, other->bins));
    return;
  }
  reading.histograms.emplace_hint(next, low_pc, shape);
}

void CheckHistogram(GmonCursor& cursor, GmonReading& reading) {
  const size_t offset = cursor.offset();
  Histogram histogram;
  histogram.low_pc = cursor.Word("low_pc");
  histogram.high_pc = cursor.Word("high_pc");
  const uint64_t bins = cursor.Number("bins", 4);
  const size_t rate_offset = cursor.offset();
  histogram.rate = cursor.Number("rate", 4);
  histogram.dimension = ReadDimension(cursor);
  const size_t abbreviation_offset = cursor.offset();
  histogram.abbreviation = static_cast<char>(cursor.Number("abbreviation", 1));
  CheckRange(cursor, offset, histogram.low_pc, histogram.high_pc, bins);
  if (histogram.abbreviation != '\0' &&
      !absl::ascii_isprint(static_cast<unsigned char>(histogram.abbreviation))) {
    cursor.Fail("abbreviation", abbreviation_offset,
                "is not a printable character: the file is damaged");
  }
  cursor.Skip("bins", bins, GMON_BIN_SIZE);
  if (!cursor.ok() || bins == 0) return;
  if (histogram.rate == 0) {
    cursor.Fail("rate", rate_offset,
                "is 0, so samples cannot be turned into time: run the program again");
    return;
  }
  const Histogram& unit = reading.unit;
  if (reading.histograms.empty()) {
    reading.unit = histogram;
  } else if (histogram.rate != unit.rate || histogram.dimension != unit.dimension ||
             histogram.abbreviation != unit.abbreviation) {
    cursor.Fail("rate", rate_offset,
                absl::StrFormat("%d per \"%s\" differs from the first histogram's %d per \"%s\": "
                                "the file is damaged, or of several programs",
                                histogram.rate, histogram.dimension, unit.rate, unit.dimension));
    return;
  }
  AddShape(cursor, offset, histogram.low_pc, {histogram.high_pc, static_cast<uint32_t>(bins), 0},
           reading);
}

}  // namespace

void RankHistograms(GmonReading& reading) {
  uint32_t rank = 0;
  for (auto& [low_pc, shape] : reading.histograms) shape.rank = rank++;
}

GmonReading CheckGnuGmon(absl::string_view bytes, absl::string_view file_name,
                         GmonEncoding encoding) {
  GmonCursor cursor(bytes, file_name, encoding);
  GmonReading reading{
      .encoding = encoding, .status = {}, .histograms = {}, .unit = {}, .bsd_bins = {}};
  cursor.Raw("header", GMON_HEADER_SIZE);
  const size_t arc_size = GMON_ARC_SIZE(static_cast<size_t>(encoding.address_size));
  for (uint64_t number = 1; cursor.ok() && cursor.remaining() > 0; ++number) {
    // Most records are arcs, and any bytes will do for one.
    if (const uint64_t arcs = cursor.PassAll(GMON_TAG_ARC, arc_size); arcs > 0) {
      reading.arcs += arcs;
      number += arcs - 1;
      continue;
    }
    cursor.BeginRecord("record", number);
    const size_t offset = cursor.offset();
    const uint64_t tag = cursor.Number("tag", 1);
    switch (tag) {
      case GMON_TAG_HISTOGRAM:
        cursor.BeginRecord("record", number, "histogram");
        CheckHistogram(cursor, reading);
        break;
      case GMON_TAG_ARC:  // cut off: find out in which field
        cursor.BeginRecord("record", number, "arc");
        cursor.Word("from_pc");
        cursor.Word("self_pc");
        cursor.Number("count", 4);
        break;
      case GMON_TAG_BLOCKS: {
        cursor.BeginRecord("record", number, "basic blocks");
        const uint64_t blocks = cursor.Number("blocks", GMON_BLOCKS_SIZE);
        cursor.Skip("blocks", blocks, GMON_BLOCK_SIZE(encoding.address_size));
        reading.blocks += blocks;
        break;
      }
      default:
        cursor.Fail("tag", offset,
                    absl::StrFormat("%d is none of 0 (histogram), 1 (arc), 2 (basic blocks): the "
                                    "file is damaged, or its addresses are not %d bytes long",
                                    tag, encoding.address_size));
    }
  }
  reading.status = cursor.status();
  reading.offset = cursor.offset();
  return reading;
}

GmonReading CheckBsdGmon(absl::string_view bytes, absl::string_view file_name,
                         GmonEncoding encoding, bool with_version) {
  GmonCursor cursor(bytes, file_name, encoding);
  GmonReading reading{
      .encoding = encoding, .status = {}, .histograms = {}, .unit = {}, .bsd_bins = {}};
  const uint64_t low_pc = cursor.Word("low_pc");
  const uint64_t high_pc = cursor.Word("high_pc");
  const size_t ncnt_offset = cursor.offset();
  const uint64_t ncnt = cursor.Number("ncnt", 4);
  reading.unit.rate = kAssumedBsdRate;
  reading.unit.rate_is_assumed = !with_version;
  if (with_version) {
    const size_t offset = cursor.offset();
    if (const uint64_t version = cursor.Number("version", 4); version != k44BsdVersion) {
      cursor.Fail("version", offset,
                  absl::StrFormat("%#x is not 4.4BSD's %#x", version, k44BsdVersion));
    }
    reading.unit.rate = cursor.Number("rate", 4);
    cursor.Raw("spare", 12);
  }
  if (ncnt < cursor.offset() || (ncnt - cursor.offset()) % GMON_BIN_SIZE != 0) {
    cursor.Fail(
        "ncnt", ncnt_offset,
        absl::StrFormat("%d is not the size of a header and whole bins: the file is damaged "
                        "or not a BSD profile",
                        ncnt));
  }
  const uint64_t bins = cursor.ok() ? (ncnt - cursor.offset()) / GMON_BIN_SIZE : 0;
  CheckRange(cursor, 0, low_pc, high_pc, bins);
  if (reading.unit.rate == 0 && bins > 0) {
    cursor.Fail("rate", ncnt_offset + 8, "is 0, so samples cannot be turned into time");
  }
  reading.bsd_bins = cursor.offset();
  cursor.Skip("bins", bins, GMON_BIN_SIZE);
  reading.bsd_arcs = cursor.offset();
  const size_t arc_size = 3 * static_cast<size_t>(encoding.address_size);
  reading.arcs = cursor.ok() ? cursor.remaining() / arc_size : 0;
  cursor.Skip("arcs", reading.arcs, arc_size);
  if (cursor.ok() && cursor.remaining() > 0) {  // cut off: find out in which field
    cursor.BeginRecord("arc", reading.arcs + 1);
    cursor.Word("from_pc");
    cursor.Word("self_pc");
    cursor.Word("count");
  }
  if (cursor.ok() && bins > 0) {
    reading.histograms[low_pc] = {high_pc, static_cast<uint32_t>(bins), 0};
  }
  reading.status = cursor.status();
  reading.offset = cursor.offset();
  return reading;
}

}  // namespace gprofhub::profile
