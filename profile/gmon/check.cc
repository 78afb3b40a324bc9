#include "profile/gmon/check.h"

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "profile/format/gmon.h"
#include "profile/gmon/writer.h"
#include "profile/merge.h"

namespace gprofhub::profile {

uint64_t GmonFields::PassAll(unsigned char tag, size_t size, unsigned char& bits) {
  if (!ok()) return 0;
  const char* const begin = bytes_.data() + offset_;
  const char* const end = bytes_.data() + bytes_.size();
  const char* at = begin;
  const size_t last = encoding_.big_endian ? static_cast<size_t>(encoding_.address_size) : 1;
  while (static_cast<size_t>(end - at) > size && static_cast<unsigned char>(*at) == tag) {
    bits |= static_cast<unsigned char>(at[last]);
    at += 1 + size;
  }
  offset_ += static_cast<size_t>(at - begin);
  return static_cast<uint64_t>(at - begin) / (1 + size);
}

uint64_t GmonFields::Number(absl::string_view field, size_t size) {
  const absl::string_view raw = Raw(field, size);
  uint64_t value = 0;
  for (size_t i = 0; i < raw.size(); ++i) {
    const size_t at = encoding_.big_endian ? i : raw.size() - 1 - i;
    value = value << 8 | static_cast<unsigned char>(raw[at]);
  }
  return value;
}

absl::string_view GmonFields::Raw(absl::string_view field, uint64_t size) {
  if (!ok()) return {};
  if (size > remaining()) {
    Fail(field, offset_,
         absl::StrFormat("needs %d bytes but the file ends after %d more: the file is truncated or "
                         "damaged; run the program again and let it exit normally",
                         size, remaining()));
    return {};
  }
  const absl::string_view raw = bytes_.substr(offset_, size);
  offset_ += size;
  return raw;
}

void GmonFields::Skip(absl::string_view field, uint64_t count, uint64_t size) {
  if (!ok()) return;
  if (count <= remaining() / size) {
    offset_ += count * size;
    return;
  }
  Fail(field, offset_,
       absl::StrFormat(
           "%d entries of %d bytes need more than the %d bytes left in the file: the file is "
           "truncated or damaged; run the program again and let it exit normally",
           count, size, remaining()));
}

void GmonFields::Fail(absl::string_view field, size_t offset, absl::string_view problem) {
  if (!ok()) return;
  std::string record(record_);
  if (number_ > 0) absl::StrAppend(&record, " ", number_);
  if (!kind_.empty()) absl::StrAppend(&record, " (", kind_, ")");
  status_ = absl::DataLossError(
      absl::StrFormat("%s: %s, %s at byte %d: %s", file_name_, record, field, offset, problem));
}

namespace {

void CheckRange(GmonFields& fields, size_t offset, uint64_t low_pc, uint64_t high_pc,
                uint64_t bins) {
  if (low_pc > high_pc || (bins > 0 && low_pc == high_pc)) {
    fields.Fail(
        "low_pc", offset,
        absl::StrFormat("the range [%#x, %#x) is empty or reversed: the file is damaged, or "
                        "its addresses are not %d bytes long",
                        low_pc, high_pc, fields.encoding().address_size));
  }
}

// A dimension is text padded with zeros; anything else means that this is not the start of a
// histogram.
std::string ReadDimension(GmonFields& fields) {
  const size_t offset = fields.offset();
  absl::string_view field = fields.Raw("dimension", GMON_DIMENSION_SIZE);
  absl::string_view text = field.substr(0, field.find('\0'));
  for (char c : text) {
    if (!absl::ascii_isprint(static_cast<unsigned char>(c))) {
      fields.Fail("dimension", offset,
                  absl::StrFormat("\"%s\" is not text: the file is damaged, or its addresses are "
                                  "not %d bytes long",
                                  absl::CHexEscape(field), fields.encoding().address_size));
      return "";
    }
  }
  return std::string(text);
}

// Records the range, which must be equal to another one or disjoint from all.
void AddShape(GmonFields& fields, size_t offset, uint64_t low_pc, HistogramShape shape,
              GmonLayout& layout) {
  const auto known = FindOverlapping(layout.histograms, low_pc, shape.high_pc);
  if (known == layout.histograms.end()) {
    layout.histograms.emplace(low_pc, shape);
    return;
  }
  const HistogramShape& other = known->second;
  if (known->first == low_pc && other.high_pc == shape.high_pc && other.bins == shape.bins) return;
  fields.Fail(
      "low_pc", offset,
      absl::StrFormat("histogram [%#x, %#x) with %d bins overlaps histogram [%#x, %#x) "
                      "with %d bins: the file is damaged, or of several programs",
                      low_pc, shape.high_pc, shape.bins, known->first, other.high_pc, other.bins));
}

void CheckHistogram(GmonFields& fields, GmonLayout& layout) {
  const size_t offset = fields.offset();
  Histogram histogram;
  histogram.low_pc = fields.Word("low_pc");
  histogram.high_pc = fields.Word("high_pc");
  const uint64_t bins = fields.Number("bins", 4);
  const size_t rate_offset = fields.offset();
  histogram.rate = fields.Number("rate", 4);
  histogram.dimension = ReadDimension(fields);
  const size_t abbreviation_offset = fields.offset();
  histogram.abbreviation = static_cast<char>(fields.Number("abbreviation", 1));
  CheckRange(fields, offset, histogram.low_pc, histogram.high_pc, bins);
  if (histogram.abbreviation != '\0' &&
      !absl::ascii_isprint(static_cast<unsigned char>(histogram.abbreviation))) {
    fields.Fail("abbreviation", abbreviation_offset,
                "is not a printable character: the file is damaged");
  }
  fields.Skip("bins", bins, GMON_BIN_SIZE);
  if (!fields.ok() || bins == 0) return;
  if (histogram.rate == 0) {
    fields.Fail("rate", rate_offset,
                "is 0, so samples cannot be turned into time: run the program again");
    return;
  }
  const Histogram& unit = layout.unit;
  if (layout.histograms.empty()) {
    layout.unit = histogram;
  } else if (histogram.rate != unit.rate || histogram.dimension != unit.dimension ||
             histogram.abbreviation != unit.abbreviation) {
    fields.Fail("rate", rate_offset,
                absl::StrFormat("%d per \"%s\" differs from the first histogram's %d per \"%s\": "
                                "the file is damaged, or of several programs",
                                histogram.rate, histogram.dimension, unit.rate, unit.dimension));
    return;
  }
  AddShape(fields, offset, histogram.low_pc, {histogram.high_pc, static_cast<uint32_t>(bins)},
           layout);
}

}  // namespace

constexpr size_t kSpareBegin = GMON_HEADER_SIZE - GMON_SPARE_SIZE;

GmonLayout CheckGnuLayout(absl::string_view bytes, absl::string_view file_name,
                          GmonEncoding encoding) {
  GmonFields fields(bytes, file_name, encoding);
  GmonLayout layout{
      .encoding = encoding, .status = {}, .histograms = {}, .unit = {}, .bsd_bins = {}};
  const absl::string_view header = fields.Raw("header", GMON_HEADER_SIZE);
  unsigned char caller_bits = 0;
  const size_t arc_size = GMON_ARC_SIZE(static_cast<size_t>(encoding.address_size));
  for (uint64_t number = 1; fields.ok() && fields.remaining() > 0; ++number) {
    // Most records are arcs, and any bytes are a valid arc.
    if (const uint64_t arcs = fields.PassAll(GMON_TAG_ARC, arc_size, caller_bits); arcs > 0) {
      layout.arcs += arcs;
      number += arcs - 1;
      continue;
    }
    fields.BeginRecord("record", number);
    const size_t offset = fields.offset();
    const uint64_t tag = fields.Number("tag", 1);
    switch (tag) {
      case GMON_TAG_HISTOGRAM:
        fields.BeginRecord("record", number, "histogram");
        CheckHistogram(fields, layout);
        break;
      case GMON_TAG_ARC:  // cut off: find the field
        fields.BeginRecord("record", number, "arc");
        fields.Word("from_pc");
        fields.Word("self_pc");
        fields.Number("count", 4);
        break;
      case GMON_TAG_BLOCKS: {
        fields.BeginRecord("record", number, "basic blocks");
        const uint64_t blocks = fields.Number("blocks", GMON_BLOCKS_SIZE);
        fields.Skip("blocks", blocks, GMON_BLOCK_SIZE(encoding.address_size));
        layout.blocks += blocks;
        break;
      }
      default:
        fields.Fail("tag", offset,
                    absl::StrFormat("%d is not 0 (histogram), 1 (arc) or 2 (basic blocks): the "
                                    "file is damaged, or its addresses are not %d bytes long",
                                    tag, encoding.address_size));
    }
  }
  layout.has_exact_callers =
      fields.ok() && absl::StartsWith(header.substr(kSpareBegin), GMON_SPARE);
  layout.has_rounded_callers =
      !layout.has_exact_callers && caller_bits % CallerBlock(encoding.address_size) == 0;
  layout.status = fields.status();
  layout.offset = fields.offset();
  return layout;
}

GmonLayout CheckBsdLayout(absl::string_view bytes, absl::string_view file_name,
                          GmonEncoding encoding, bool with_version) {
  GmonFields fields(bytes, file_name, encoding);
  GmonLayout layout{
      .encoding = encoding, .status = {}, .histograms = {}, .unit = {}, .bsd_bins = {}};
  const uint64_t low_pc = fields.Word("low_pc");
  const uint64_t high_pc = fields.Word("high_pc");
  const size_t ncnt_offset = fields.offset();
  const uint64_t ncnt = fields.Number("ncnt", 4);
  layout.unit.rate = kAssumedBsdRate;
  layout.unit.rate_is_assumed = !with_version;
  if (with_version) {
    const size_t offset = fields.offset();
    if (const uint64_t version = fields.Number("version", 4); version != k44BsdVersion) {
      fields.Fail("version", offset,
                  absl::StrFormat("%#x is not 4.4BSD's %#x", version, k44BsdVersion));
    }
    layout.unit.rate = fields.Number("rate", 4);
    fields.Raw("spare", 12);
  }
  if (ncnt < fields.offset() || (ncnt - fields.offset()) % GMON_BIN_SIZE != 0) {
    fields.Fail(
        "ncnt", ncnt_offset,
        absl::StrFormat("%d is not the size of a header and whole bins: the file is damaged "
                        "or not a BSD profile",
                        ncnt));
  }
  const uint64_t bins = fields.ok() ? (ncnt - fields.offset()) / GMON_BIN_SIZE : 0;
  CheckRange(fields, 0, low_pc, high_pc, bins);
  if (layout.unit.rate == 0 && bins > 0) {
    fields.Fail("rate", ncnt_offset + 8, "is 0, so samples cannot be turned into time");
  }
  layout.bsd_bins = fields.offset();
  fields.Skip("bins", bins, GMON_BIN_SIZE);
  layout.bsd_arcs = fields.offset();
  const size_t arc_size = 3 * static_cast<size_t>(encoding.address_size);
  layout.arcs = fields.ok() ? fields.remaining() / arc_size : 0;
  fields.Skip("arcs", layout.arcs, arc_size);
  if (fields.ok() && fields.remaining() > 0) {  // cut off: find the field
    fields.BeginRecord("arc", layout.arcs + 1);
    fields.Word("from_pc");
    fields.Word("self_pc");
    fields.Word("count");
  }
  if (fields.ok() && bins > 0) {
    layout.histograms[low_pc] = {high_pc, static_cast<uint32_t>(bins)};
  }
  layout.status = fields.status();
  layout.offset = fields.offset();
  return layout;
}

}  // namespace gprofhub::profile
