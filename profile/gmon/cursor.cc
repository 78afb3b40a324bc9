#include "profile/gmon/cursor.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "profile/gmon/format.h"

namespace gprofhub::profile {
namespace {

// Reads numbers of one encoding, from bytes that are known to exist.
template <typename WordType, bool kBigEndian>
struct NumbersOf {
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

// Calls `function` with the NumbersOf the encoding.
template <typename Function>
void WithNumbers(GmonEncoding encoding, Function function) {
  if (encoding.address_size == 8) {
    encoding.big_endian ? function(NumbersOf<uint64_t, true>())
                        : function(NumbersOf<uint64_t, false>());
  } else {
    encoding.big_endian ? function(NumbersOf<uint32_t, true>())
                        : function(NumbersOf<uint32_t, false>());
  }
}

// The same histograms without samples, in ascending order; reuses memory.
void SetEmptyHistograms(const GmonLayout& layout, std::vector<Histogram>& histograms) {
  histograms.resize(layout.histograms.size());
  auto histogram = histograms.begin();
  for (const auto& [low_pc, shape] : layout.histograms) {
    std::vector<uint64_t> bins = std::move(histogram->bins);
    bins.assign(shape.bins, 0);
    *histogram++ = {low_pc,
                    shape.high_pc,
                    layout.unit.rate,
                    layout.unit.dimension,
                    layout.unit.abbreviation,
                    std::move(bins),
                    layout.unit.rate_is_assumed};
  }
}

template <typename Numbers>
void AddBins(const char* at, std::vector<uint64_t>& bins) {
  for (size_t i = 0; i < bins.size(); ++i) {
    bins[i] += Numbers::template Load<uint16_t>(at + GMON_BIN_SIZE * i);
  }
}

}  // namespace

GmonCursor::GmonCursor(absl::string_view bytes, const GmonLayout& layout,
                       std::vector<Histogram> memory)
    : bytes_(bytes),
      layout_(layout),
      at_(bytes.data() + (layout.bsd_bins ? *layout.bsd_bins : size_t{GMON_HEADER_SIZE})) {
  rest_.histograms = std::move(memory);
  SetEmptyHistograms(layout, rest_.histograms);
  rest_.blocks.reserve(layout.blocks);
}

absl::Span<const RawArc> GmonCursor::NextArcs() {
  filled_ = 0;
  WithNumbers(layout_.encoding, [this]<typename Numbers>(Numbers) {
    layout_.bsd_bins ? ReadBsdRecords<Numbers>() : ReadGnuRecords<Numbers>();
  });
  return absl::MakeConstSpan(arcs_.data(), filled_);
}

RawProfile GmonCursor::TakeRest() { return std::move(rest_); }

// Up to the end, or until the buffer of arcs is full.
template <typename Numbers>
void GmonCursor::ReadGnuRecords() {
  const char* const end = bytes_.data() + bytes_.size();
  while (at_ != end && filled_ < arcs_.size()) {
    switch (*at_) {
      case GMON_TAG_ARC:
        ReadGnuArcs<Numbers>();
        break;
      case GMON_TAG_HISTOGRAM:
        ReadGnuHistogram<Numbers>();
        break;
      default:
        ReadGnuBlocks<Numbers>();
    }
  }
}

// A series of consecutive arcs, until the buffer is full.
template <typename Numbers>
void GmonCursor::ReadGnuArcs() {
  using Word = typename Numbers::Word;
  constexpr size_t kWord = sizeof(Word);
  const char* const end = bytes_.data() + bytes_.size();
  const char* at = at_;
  size_t filled = filled_;
  for (; at != end && *at == GMON_TAG_ARC && filled < arcs_.size(); ++filled) {
    ++at;
    arcs_[filled] = {Numbers::template Load<Word>(at), Numbers::template Load<Word>(at + kWord),
                     Numbers::template Load<uint32_t>(at + 2 * kWord)};
    at += GMON_ARC_SIZE(kWord);
  }
  at_ = at;
  filled_ = filled;
}

template <typename Numbers>
void GmonCursor::ReadGnuHistogram() {
  using Word = typename Numbers::Word;
  constexpr size_t kWord = sizeof(Word);
  ++at_;
  const auto low_pc = Numbers::template Load<Word>(at_);
  const auto bins = Numbers::template Load<uint32_t>(at_ + 2 * kWord);
  at_ += GMON_HISTOGRAM_SIZE(kWord);
  if (bins > 0) AddBins<Numbers>(at_, HistogramFrom(low_pc).bins);
  at_ += size_t{GMON_BIN_SIZE} * bins;
}

template <typename Numbers>
void GmonCursor::ReadGnuBlocks() {
  using Word = typename Numbers::Word;
  constexpr size_t kWord = sizeof(Word);
  ++at_;
  const auto blocks = Numbers::template Load<uint32_t>(at_);
  at_ += GMON_BLOCKS_SIZE;
  for (uint32_t i = 0; i < blocks; ++i, at_ += GMON_BLOCK_SIZE(kWord)) {
    rest_.blocks.push_back(
        {Numbers::template Load<Word>(at_), Numbers::template Load<Word>(at_ + kWord)});
  }
}

// The bins, if they are here, and the arcs after them, until the buffer is full.
template <typename Numbers>
void GmonCursor::ReadBsdRecords() {
  using Word = typename Numbers::Word;
  constexpr size_t kWord = sizeof(Word);
  if (offset() < layout_.bsd_arcs) {
    if (!rest_.histograms.empty()) AddBins<Numbers>(at_, rest_.histograms.front().bins);
    at_ = bytes_.data() + layout_.bsd_arcs;
  }
  const char* const end = bytes_.data() + bytes_.size();
  for (; at_ != end && filled_ < arcs_.size(); at_ += 3 * kWord) {
    arcs_[filled_++] = {Numbers::template Load<Word>(at_),
                        Numbers::template Load<Word>(at_ + kWord),
                        Numbers::template Load<Word>(at_ + 2 * kWord)};
  }
}

// They are ascending.
Histogram& GmonCursor::HistogramFrom(uint64_t low_pc) {
  return *std::lower_bound(
      rest_.histograms.begin(), rest_.histograms.end(), low_pc,
      [](const Histogram& histogram, uint64_t low) { return histogram.low_pc < low; });
}

}  // namespace gprofhub::profile
