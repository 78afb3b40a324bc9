// The file does not say how large its addresses are. A reading with the wrong
// size meets an unknown tag, an impossible histogram or the end of the file
// within a record or two, so every size (and, for the BSD formats, byte order)
// that the options leave open is tried, and the one that reads the whole file
// is taken. If none does, the error of the reading that came furthest is the
// most telling one.

#include "profile/gmon_reader.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "profile/gmon_format.h"
#include "profile/profile_merge.h"

namespace gprofhub {
namespace {

struct Encoding {
  int address_size;
  bool big_endian;
};

// Reads numbers at a moving offset. After a failed read status() is the error
// and the values read are zero.
class Cursor {
 public:
  Cursor(absl::string_view bytes, absl::string_view file_name, Encoding encoding)
      : bytes_(bytes), file_name_(file_name), encoding_(encoding) {}

  size_t offset() const { return offset_; }
  size_t remaining() const { return bytes_.size() - offset_; }
  bool ok() const { return status_.ok(); }
  const absl::Status& status() const { return status_; }
  Encoding encoding() const { return encoding_; }

  // Names the record for messages, from here on.
  void BeginRecord(std::string name) { record_ = std::move(name); }

  uint64_t Number(absl::string_view field, size_t size) {
    absl::string_view raw = Raw(field, size);
    uint64_t value = 0;
    for (size_t i = 0; i < raw.size(); ++i) {
      const size_t at = encoding_.big_endian ? i : raw.size() - 1 - i;
      value = value << 8 | static_cast<unsigned char>(raw[at]);
    }
    return value;
  }

  uint64_t Word(absl::string_view field) { return Number(field, encoding_.address_size); }

  absl::string_view Raw(absl::string_view field, uint64_t size) {
    if (!ok()) return {};
    if (size > remaining()) {
      Fail(field, offset_,
           absl::StrFormat("needs %d bytes but the file ends after %d more: the file is cut off or "
                           "damaged; run the program again and let it end normally",
                           size, remaining()));
      return {};
    }
    absl::string_view raw = bytes_.substr(offset_, size);
    offset_ += size;
    return raw;
  }

  // Whether `count` items of `size` bytes are still there.
  bool Has(absl::string_view field, uint64_t count, uint64_t size) {
    if (!ok()) return false;
    if (count <= remaining() / size) return true;
    Fail(
        field, offset_,
        absl::StrFormat("%d entries of %d bytes need more than the %d bytes left in the file: the "
                        "file is cut off or damaged; run the program again and let it end normally",
                        count, size, remaining()));
    return false;
  }

  void Fail(absl::string_view field, size_t offset, absl::string_view problem) {
    if (!ok()) return;
    status_ = absl::DataLossError(
        absl::StrFormat("%s: %s, %s at byte %d: %s", file_name_, record_, field, offset, problem));
  }

 private:
  absl::string_view bytes_;
  absl::string_view file_name_;
  Encoding encoding_;
  size_t offset_ = 0;
  std::string record_ = "header";
  absl::Status status_;
};

// What one reading of the file came to.
struct Attempt {
  absl::Status status;
  size_t offset = 0;  // how far it came
  RawProfile profile;
};

void CheckRange(Cursor& cursor, size_t offset, uint64_t low_pc, uint64_t high_pc, uint64_t bins) {
  if (low_pc > high_pc || (bins > 0 && low_pc == high_pc)) {
    cursor.Fail(
        "low_pc", offset,
        absl::StrFormat("the range [%#x, %#x) is empty or reversed: the file is damaged, or "
                        "its addresses are not %d bytes long",
                        low_pc, high_pc, cursor.encoding().address_size));
  }
}

std::vector<uint64_t> ReadBins(Cursor& cursor, uint64_t count) {
  std::vector<uint64_t> bins;
  if (!cursor.Has("bins", count, GMON_BIN_SIZE)) return bins;
  bins.reserve(count);
  for (uint64_t i = 0; i < count; ++i) bins.push_back(cursor.Number("bins", GMON_BIN_SIZE));
  return bins;
}

// A dimension is text padded with zeros; anything else means that this is not
// the start of a histogram.
std::string ReadDimension(Cursor& cursor) {
  const size_t offset = cursor.offset();
  absl::string_view field = cursor.Raw("dimension", GMON_DIMENSION_SIZE);
  absl::string_view text = field.substr(0, field.find('\0'));
  for (char c : text) {
    if (!absl::ascii_isprint(c)) {
      cursor.Fail("dimension", offset,
                  absl::StrFormat("\"%s\" is not text: the file is damaged, or its addresses are "
                                  "not %d bytes long",
                                  absl::CHexEscape(field), cursor.encoding().address_size));
      return "";
    }
  }
  return std::string(text);
}

void ReadHistogram(Cursor& cursor, ProfileMerger& histograms) {
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
  histogram.bins = ReadBins(cursor, bins);
  if (!cursor.ok() || bins == 0) return;
  if (histogram.rate == 0) {
    cursor.Fail("rate", rate_offset,
                "is 0, so samples cannot be turned into time: run the program again");
    return;
  }
  RawProfile part;
  part.histograms.push_back(std::move(histogram));
  if (absl::Status status = histograms.Add(part); !status.ok()) {
    cursor.Fail("low_pc", offset, status.message());
  }
}

void ReadArc(Cursor& cursor, size_t count_size, RawProfile& profile) {
  RawArc arc;
  arc.from_pc = cursor.Word("from_pc");
  arc.self_pc = cursor.Word("self_pc");
  arc.count = cursor.Number("count", count_size);
  if (cursor.ok()) profile.arcs.push_back(arc);
}

void ReadBlocks(Cursor& cursor, RawProfile& profile) {
  const uint64_t blocks = cursor.Number("blocks", GMON_BLOCKS_SIZE);
  if (!cursor.Has("blocks", blocks, GMON_BLOCK_SIZE(cursor.encoding().address_size))) return;
  profile.blocks.reserve(profile.blocks.size() + blocks);
  for (uint64_t i = 0; i < blocks; ++i) {
    BasicBlock block;
    block.pc = cursor.Word("address");
    block.count = cursor.Word("count");
    profile.blocks.push_back(block);
  }
}

Attempt Finish(const Cursor& cursor, ProfileMerger& histograms, RawProfile profile) {
  Attempt attempt{cursor.status(), cursor.offset(), std::move(profile)};
  attempt.profile.histograms = histograms.Take().histograms;
  return attempt;
}

Attempt ReadGnu(absl::string_view bytes, absl::string_view file_name, Encoding encoding) {
  Cursor cursor(bytes, file_name, encoding);
  RawProfile profile;
  ProfileMerger histograms;
  cursor.Raw("header", GMON_HEADER_SIZE);
  for (uint64_t number = 1; cursor.ok() && cursor.remaining() > 0; ++number) {
    cursor.BeginRecord(absl::StrCat("record ", number));
    const size_t offset = cursor.offset();
    const uint64_t tag = cursor.Number("tag", 1);
    switch (tag) {
      case GMON_TAG_HISTOGRAM:
        cursor.BeginRecord(absl::StrCat("record ", number, " (histogram)"));
        ReadHistogram(cursor, histograms);
        break;
      case GMON_TAG_ARC:
        cursor.BeginRecord(absl::StrCat("record ", number, " (arc)"));
        ReadArc(cursor, 4, profile);
        break;
      case GMON_TAG_BLOCKS:
        cursor.BeginRecord(absl::StrCat("record ", number, " (basic blocks)"));
        ReadBlocks(cursor, profile);
        break;
      default:
        cursor.Fail("tag", offset,
                    absl::StrFormat("%d is none of 0 (histogram), 1 (arc), 2 (basic blocks): the "
                                    "file is damaged, or its addresses are not %d bytes long",
                                    tag, encoding.address_size));
    }
  }
  return Finish(cursor, histograms, std::move(profile));
}

constexpr uint64_t k44BsdVersion = 0x51879;
constexpr uint32_t kAssumedBsdRate = 100;

// low_pc (word), high_pc (word), ncnt (4: bytes of header and bins); 4.4BSD
// goes on with version (4), rate (4), spare (12). Then the bins, then arcs
// whose count is a word too.
Attempt ReadBsd(absl::string_view bytes, absl::string_view file_name, Encoding encoding,
                bool with_version) {
  Cursor cursor(bytes, file_name, encoding);
  RawProfile profile;
  ProfileMerger histograms;
  Histogram histogram;
  histogram.low_pc = cursor.Word("low_pc");
  histogram.high_pc = cursor.Word("high_pc");
  const size_t ncnt_offset = cursor.offset();
  const uint64_t ncnt = cursor.Number("ncnt", 4);
  histogram.rate = kAssumedBsdRate;
  if (with_version) {
    const size_t offset = cursor.offset();
    if (const uint64_t version = cursor.Number("version", 4); version != k44BsdVersion) {
      cursor.Fail("version", offset,
                  absl::StrFormat("%#x is not 4.4BSD's %#x", version, k44BsdVersion));
    }
    histogram.rate = cursor.Number("rate", 4);
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
  CheckRange(cursor, 0, histogram.low_pc, histogram.high_pc, bins);
  if (histogram.rate == 0 && bins > 0) {
    cursor.Fail("rate", ncnt_offset + 8, "is 0, so samples cannot be turned into time");
  }
  histogram.bins = ReadBins(cursor, bins);
  for (uint64_t number = 1; cursor.ok() && cursor.remaining() > 0; ++number) {
    cursor.BeginRecord(absl::StrCat("arc ", number));
    ReadArc(cursor, encoding.address_size, profile);
  }
  if (cursor.ok() && bins > 0) profile.histograms.push_back(std::move(histogram));
  return {cursor.status(), cursor.offset(), std::move(profile)};
}

// Takes the one attempt that read everything.
absl::StatusOr<RawProfile> Choose(std::vector<Attempt> attempts, absl::string_view file_name) {
  Attempt* chosen = nullptr;
  Attempt* furthest = nullptr;
  for (Attempt& attempt : attempts) {
    if (furthest == nullptr || attempt.offset > furthest->offset) furthest = &attempt;
    if (!attempt.status.ok()) continue;
    const bool empty = attempt.profile.histograms.empty() && attempt.profile.arcs.empty() &&
                       attempt.profile.blocks.empty();
    if (chosen != nullptr && !empty) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "%s: can be read both with 8-byte and with 4-byte addresses: say which, or give the "
          "image it belongs to",
          file_name));
    }
    if (chosen == nullptr) chosen = &attempt;
  }
  if (chosen == nullptr) return furthest->status;
  return std::move(chosen->profile);
}

std::vector<int> AddressSizes(const GmonReadOptions& options) {
  if (options.address_size.has_value()) return {*options.address_size};
  return {8, 4};
}

absl::StatusOr<RawProfile> ReadBsdFile(absl::string_view bytes, absl::string_view file_name,
                                       const GmonReadOptions& options) {
  std::vector<bool> orders = {false, true};
  if (options.big_endian.has_value()) orders = {*options.big_endian};
  for (const bool with_version : {true, false}) {
    std::vector<Attempt> attempts;
    bool any = false;
    for (const bool big_endian : orders) {
      for (const int size : AddressSizes(options)) {
        attempts.push_back(ReadBsd(bytes, file_name, {size, big_endian}, with_version));
        // A matching version decides for this reading, even if it fails later.
        any = any || attempts.back().status.ok() ||
              (with_version && attempts.back().offset > static_cast<size_t>(2 * size + 8));
      }
    }
    if (any || !with_version) return Choose(std::move(attempts), file_name);
  }
  return absl::InternalError("unreachable");
}

absl::StatusOr<RawProfile> ReadGnuFile(absl::string_view bytes, absl::string_view file_name,
                                       const GmonReadOptions& options) {
  if (bytes.empty()) {
    return absl::DataLossError(absl::StrFormat(
        "%s: the file is empty: the program was killed or the disk was full when it ended; run it "
        "again",
        file_name));
  }
  const absl::string_view magic(GMON_MAGIC, GMON_MAGIC_SIZE);
  if (bytes.substr(0, magic.size()) != magic.substr(0, bytes.size())) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s: header, magic at byte 0: \"%s\" is not \"gmon\": this is not a GNU "
                        "profile (gmon.out); "
                        "an old BSD profile is read only when asked for",
                        file_name, absl::CHexEscape(bytes.substr(0, magic.size()))));
  }
  if (bytes.size() < GMON_HEADER_SIZE) {
    return absl::DataLossError(absl::StrFormat(
        "%s: header at byte 0: needs %d bytes but the file has %d: the file is cut off; run the "
        "program again and let it end normally",
        file_name, GMON_HEADER_SIZE, bytes.size()));
  }
  Cursor version(bytes.substr(GMON_MAGIC_SIZE, 4), file_name, {8, false});
  const uint64_t little = version.Number("version", 4);
  const bool big_endian = little != GMON_VERSION;
  const uint64_t big = __builtin_bswap32(static_cast<uint32_t>(little));
  if ((big_endian && big != GMON_VERSION) ||
      options.big_endian.value_or(big_endian) != big_endian) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s: header, version at byte %d: %d (%d in the other byte order) is not %d: the file is "
        "damaged, of another version, or not of the image's byte order",
        file_name, GMON_MAGIC_SIZE, little, big, GMON_VERSION));
  }
  std::vector<Attempt> attempts;
  for (const int size : AddressSizes(options)) {
    attempts.push_back(ReadGnu(bytes, file_name, {size, big_endian}));
  }
  return Choose(std::move(attempts), file_name);
}

}  // namespace

absl::StatusOr<RawProfile> ReadGmon(absl::string_view bytes, absl::string_view file_name,
                                    const GmonReadOptions& options) {
  if (options.address_size.has_value() && *options.address_size != 4 &&
      *options.address_size != 8) {
    return absl::InvalidArgumentError(
        absl::StrFormat("address size %d: must be 4 or 8", *options.address_size));
  }
  if (options.format == GmonReadOptions::Format::kBsd) {
    return ReadBsdFile(bytes, file_name, options);
  }
  return ReadGnuFile(bytes, file_name, options);
}

}  // namespace gprofhub
