// The file does not say how large its addresses are. A reading with the wrong
// size meets an unknown tag, an impossible histogram or the end of the file
// within a record or two, so every size (and, for the BSD formats, byte order)
// that the options leave open is tried, and the one that reads the whole file
// is taken. If none does, the error of the reading that came furthest is the
// most telling one.
//
// A reading goes over the bytes twice: the first time it checks everything and
// counts, keeping nothing but the shapes of the histograms; the second time,
// over a file known to be sound, it loads numbers without looking right or
// left. So a file that is rejected costs no memory, and one that is accepted
// gets its arrays in one piece each.

#include "profile/gmon_reader.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "profile/gmon_format.h"

namespace gprofhub {
namespace {

struct Encoding {
  int address_size;
  bool big_endian;
};

// Loads numbers of one encoding from bytes that are known to be there.
template <typename WordType, bool kBigEndian>
struct Loader {
  using Word = WordType;

  template <typename Integer>
  static Integer Load(const char* at) {
    Integer value;
    std::memcpy(&value, at, sizeof value);
    if constexpr (!kBigEndian || sizeof value == 1) return value;
    if constexpr (sizeof value == 2) return __builtin_bswap16(value);
    if constexpr (sizeof value == 4) return __builtin_bswap32(value);
    if constexpr (sizeof value == 8) return __builtin_bswap64(value);
  }
};

// Calls `function` with the Loader of the encoding.
template <typename Function>
void WithLoader(Encoding encoding, Function function) {
  if (encoding.address_size == 8) {
    encoding.big_endian ? function(Loader<uint64_t, true>()) : function(Loader<uint64_t, false>());
  } else {
    encoding.big_endian ? function(Loader<uint32_t, true>()) : function(Loader<uint32_t, false>());
  }
}

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

  // Names the record for messages, from here on: "record 3 (arc)".
  void BeginRecord(absl::string_view what, uint64_t number, absl::string_view kind = "") {
    record_ = what;
    number_ = number;
    kind_ = kind;
  }

  // The byte that is next, if there is one, without passing it.
  bool NextIs(unsigned char byte) const {
    return remaining() > 0 && static_cast<unsigned char>(bytes_[offset_]) == byte;
  }

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

  // Passes `count` items of `size` bytes.
  void Skip(absl::string_view field, uint64_t count, uint64_t size) {
    if (!ok()) return;
    if (count <= remaining() / size) {
      offset_ += count * size;
      return;
    }
    Fail(
        field, offset_,
        absl::StrFormat("%d entries of %d bytes need more than the %d bytes left in the file: the "
                        "file is cut off or damaged; run the program again and let it end normally",
                        count, size, remaining()));
  }

  void Fail(absl::string_view field, size_t offset, absl::string_view problem) {
    if (!ok()) return;
    std::string record(record_);
    if (number_ > 0) absl::StrAppend(&record, " ", number_);
    if (!kind_.empty()) absl::StrAppend(&record, " (", kind_, ")");
    status_ = absl::DataLossError(
        absl::StrFormat("%s: %s, %s at byte %d: %s", file_name_, record, field, offset, problem));
  }

 private:
  absl::string_view bytes_;
  absl::string_view file_name_;
  Encoding encoding_;
  size_t offset_ = 0;
  absl::string_view record_ = "header";
  uint64_t number_ = 0;  // 0: none
  absl::string_view kind_;
  absl::Status status_;
};

// Where the histogram of one range of addresses begins in the file.
struct HistogramShape {
  uint64_t high_pc;
  uint32_t bins;
  uint32_t rank;  // among the ranges, in ascending order; set by Load
};

// What checking one reading of the file came to.
struct Reading {
  Encoding encoding;
  absl::Status status;
  size_t offset = 0;  // how far it came
  uint64_t arcs = 0;
  uint64_t blocks = 0;
  // By low_pc, the ranges being disjoint.
  absl::btree_map<uint64_t, HistogramShape> histograms;
  Histogram unit;  // rate, dimension and abbreviation of all histograms
  // BSD only: where the bins and the arcs begin.
  std::optional<size_t> bsd_bins;
  size_t bsd_arcs = 0;

  bool Empty() const { return histograms.empty() && arcs == 0 && blocks == 0; }
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

// A dimension is text padded with zeros; anything else means that this is not
// the start of a histogram.
std::string ReadDimension(Cursor& cursor) {
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
void AddShape(Cursor& cursor, size_t offset, uint64_t low_pc, HistogramShape shape,
              Reading& reading) {
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

void CheckHistogram(Cursor& cursor, Reading& reading) {
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

Reading CheckGnu(absl::string_view bytes, absl::string_view file_name, Encoding encoding) {
  Cursor cursor(bytes, file_name, encoding);
  Reading reading{.encoding = encoding, .status = {}, .histograms = {}, .unit = {}, .bsd_bins = {}};
  cursor.Raw("header", GMON_HEADER_SIZE);
  const size_t arc_size = GMON_ARC_SIZE(static_cast<size_t>(encoding.address_size));
  for (uint64_t number = 1; cursor.ok() && cursor.remaining() > 0; ++number) {
    // Most records are arcs, and any bytes will do for one.
    if (cursor.NextIs(GMON_TAG_ARC) && cursor.remaining() > arc_size) {
      cursor.Skip("arc", 1, 1 + arc_size);
      ++reading.arcs;
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

// The histograms of the reading, without samples, in ascending order.
std::vector<Histogram> EmptyHistograms(Reading& reading) {
  std::vector<Histogram> histograms;
  histograms.reserve(reading.histograms.size());
  for (auto& [low_pc, shape] : reading.histograms) {
    shape.rank = static_cast<uint32_t>(histograms.size());
    histograms.push_back({low_pc, shape.high_pc, reading.unit.rate, reading.unit.dimension,
                          reading.unit.abbreviation, std::vector<uint64_t>(shape.bins)});
  }
  return histograms;
}

template <typename Loader>
void AddBins(const char* at, std::vector<uint64_t>& bins) {
  for (size_t i = 0; i < bins.size(); ++i) {
    bins[i] += Loader::template Load<uint16_t>(at + GMON_BIN_SIZE * i);
  }
}

// Loads what CheckGnu found sound.
// Loads the arcs from `at` on, up to the first record that is none; returns where that
// begins. By the batch: a vector that grows by one looks each time whether it has room.
template <typename Loader>
const char* LoadArcs(const char* at, const char* end, std::vector<RawArc>& arcs) {
  using Word = typename Loader::Word;
  constexpr size_t kWord = sizeof(Word);
  std::array<RawArc, 64> batch;
  size_t filled = 0;
  while (at != end && *at == GMON_TAG_ARC) {
    ++at;
    batch[filled++] = {Loader::template Load<Word>(at), Loader::template Load<Word>(at + kWord),
                       Loader::template Load<uint32_t>(at + 2 * kWord)};
    at += GMON_ARC_SIZE(kWord);
    if (filled < batch.size()) continue;
    arcs.insert(arcs.end(), batch.begin(), batch.end());
    filled = 0;
  }
  arcs.insert(arcs.end(), batch.begin(), batch.begin() + filled);
  return at;
}

template <typename Loader>
void LoadGnu(absl::string_view bytes, const Reading& reading, RawProfile& profile) {
  using Word = typename Loader::Word;
  constexpr size_t kWord = sizeof(Word);
  const char* at = bytes.data() + GMON_HEADER_SIZE;
  const char* const end = bytes.data() + bytes.size();
  while (at != end) {
    if (*at == GMON_TAG_ARC) {
      at = LoadArcs<Loader>(at, end, profile.arcs);
      continue;
    }
    const char tag = *at++;
    if (tag == GMON_TAG_HISTOGRAM) {
      const auto low_pc = Loader::template Load<Word>(at);
      const auto bins = Loader::template Load<uint32_t>(at + 2 * kWord);
      at += GMON_HISTOGRAM_SIZE(kWord);
      if (bins > 0) {
        AddBins<Loader>(at, profile.histograms[reading.histograms.at(low_pc).rank].bins);
      }
      at += size_t{GMON_BIN_SIZE} * bins;
    } else {
      const auto blocks = Loader::template Load<uint32_t>(at);
      at += GMON_BLOCKS_SIZE;
      for (uint32_t i = 0; i < blocks; ++i, at += GMON_BLOCK_SIZE(kWord)) {
        profile.blocks.push_back(
            {Loader::template Load<Word>(at), Loader::template Load<Word>(at + kWord)});
      }
    }
  }
}

constexpr uint64_t k44BsdVersion = 0x51879;
constexpr uint32_t kAssumedBsdRate = 100;

// low_pc (word), high_pc (word), ncnt (4: bytes of header and bins); 4.4BSD
// goes on with version (4), rate (4), spare (12). Then the bins, then arcs
// whose count is a word too.
Reading CheckBsd(absl::string_view bytes, absl::string_view file_name, Encoding encoding,
                 bool with_version) {
  Cursor cursor(bytes, file_name, encoding);
  Reading reading{.encoding = encoding, .status = {}, .histograms = {}, .unit = {}, .bsd_bins = {}};
  const uint64_t low_pc = cursor.Word("low_pc");
  const uint64_t high_pc = cursor.Word("high_pc");
  const size_t ncnt_offset = cursor.offset();
  const uint64_t ncnt = cursor.Number("ncnt", 4);
  reading.unit.rate = kAssumedBsdRate;
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

// Loads what CheckBsd found sound.
template <typename Loader>
void LoadBsd(absl::string_view bytes, const Reading& reading, RawProfile& profile) {
  using Word = typename Loader::Word;
  constexpr size_t kWord = sizeof(Word);
  if (!profile.histograms.empty()) {
    AddBins<Loader>(bytes.data() + *reading.bsd_bins, profile.histograms.front().bins);
  }
  const char* at = bytes.data() + reading.bsd_arcs;
  for (uint64_t i = 0; i < reading.arcs; ++i, at += 3 * kWord) {
    profile.arcs.push_back({Loader::template Load<Word>(at),
                            Loader::template Load<Word>(at + kWord),
                            Loader::template Load<Word>(at + 2 * kWord)});
  }
}

RawProfile Load(absl::string_view bytes, Reading& reading) {
  RawProfile profile;
  profile.histograms = EmptyHistograms(reading);
  profile.arcs.reserve(reading.arcs);
  profile.blocks.reserve(reading.blocks);
  WithLoader(reading.encoding, [&]<typename Loader>(Loader) {
    if (reading.bsd_bins.has_value()) {
      LoadBsd<Loader>(bytes, reading, profile);
    } else {
      LoadGnu<Loader>(bytes, reading, profile);
    }
  });
  return profile;
}

// Loads the one reading that came to the end of the file.
absl::StatusOr<RawProfile> Choose(std::vector<Reading> readings, absl::string_view bytes,
                                  absl::string_view file_name) {
  Reading* chosen = nullptr;
  Reading* furthest = nullptr;
  for (Reading& reading : readings) {
    if (furthest == nullptr || reading.offset > furthest->offset) furthest = &reading;
    if (!reading.status.ok()) continue;
    if (chosen != nullptr && !reading.Empty()) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "%s: can be read both with 8-byte and with 4-byte addresses: say which, or give the "
          "image it belongs to",
          file_name));
    }
    if (chosen == nullptr) chosen = &reading;
  }
  if (chosen == nullptr) return furthest->status;
  return Load(bytes, *chosen);
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
    std::vector<Reading> readings;
    bool any = false;
    for (const bool big_endian : orders) {
      for (const int size : AddressSizes(options)) {
        readings.push_back(CheckBsd(bytes, file_name, {size, big_endian}, with_version));
        // A matching version decides for this reading, even if it fails later.
        any = any || readings.back().status.ok() ||
              (with_version && readings.back().offset > static_cast<size_t>(2 * size + 8));
      }
    }
    if (any || !with_version) return Choose(std::move(readings), bytes, file_name);
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
  std::vector<Reading> readings;
  for (const int size : AddressSizes(options)) {
    readings.push_back(CheckGnu(bytes, file_name, {size, big_endian}));
  }
  return Choose(std::move(readings), bytes, file_name);
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
