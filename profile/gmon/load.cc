#include "profile/gmon/load.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "profile/gmon/format.h"

namespace gprofhub::profile {
namespace {

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
void WithLoader(GmonEncoding encoding, Function function) {
  if (encoding.address_size == 8) {
    encoding.big_endian ? function(Loader<uint64_t, true>()) : function(Loader<uint64_t, false>());
  } else {
    encoding.big_endian ? function(Loader<uint32_t, true>()) : function(Loader<uint32_t, false>());
  }
}

// Hands arcs on by the batch.
class ArcBatch {
 public:
  ArcBatch(absl::string_view bytes, VisitArcs visit) : bytes_(bytes), visit_(visit) {}

  // Of a record that begins at `at`.
  void Add(const char* at, uint64_t from_pc, uint64_t self_pc, uint64_t count) {
    batch_[filled_++] = {from_pc, self_pc, count};
    if (filled_ == batch_.size()) HandOn(static_cast<size_t>(at - bytes_.data()));
  }
  void Finish() {
    if (filled_ > 0) HandOn(bytes_.size());
  }

 private:
  void HandOn(size_t loaded) {
    visit_(absl::MakeConstSpan(batch_.data(), filled_), loaded);
    filled_ = 0;
  }

  absl::string_view bytes_;
  VisitArcs visit_;
  std::array<RawArc, 256> batch_;
  size_t filled_ = 0;
};

// Without samples, in ascending order, where others were.
void SetEmptyHistograms(const GmonReading& reading, std::vector<Histogram>& histograms) {
  histograms.resize(reading.histograms.size());
  auto histogram = histograms.begin();
  for (const auto& [low_pc, shape] : reading.histograms) {
    std::vector<uint64_t> bins = std::move(histogram->bins);
    bins.assign(shape.bins, 0);
    *histogram++ = {low_pc,
                    shape.high_pc,
                    reading.unit.rate,
                    reading.unit.dimension,
                    reading.unit.abbreviation,
                    std::move(bins),
                    reading.unit.rate_is_assumed};
  }
}

template <typename Loader>
void AddBins(const char* at, std::vector<uint64_t>& bins) {
  for (size_t i = 0; i < bins.size(); ++i) {
    bins[i] += Loader::template Load<uint16_t>(at + GMON_BIN_SIZE * i);
  }
}

// The arcs from `at` on, up to the first record that is none; returns where that begins.
template <typename Loader>
const char* LoadArcs(const char* at, const char* end, ArcBatch& arcs) {
  using Word = typename Loader::Word;
  constexpr size_t kWord = sizeof(Word);
  while (at != end && *at == GMON_TAG_ARC) {
    ++at;
    arcs.Add(at, Loader::template Load<Word>(at), Loader::template Load<Word>(at + kWord),
             Loader::template Load<uint32_t>(at + 2 * kWord));
    at += GMON_ARC_SIZE(kWord);
  }
  return at;
}

template <typename Loader>
void LoadGnu(absl::string_view bytes, const GmonReading& reading, RawProfile& profile,
             ArcBatch& arcs) {
  using Word = typename Loader::Word;
  constexpr size_t kWord = sizeof(Word);
  const char* at = bytes.data() + GMON_HEADER_SIZE;
  const char* const end = bytes.data() + bytes.size();
  while (at != end) {
    if (*at == GMON_TAG_ARC) {
      at = LoadArcs<Loader>(at, end, arcs);
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

template <typename Loader>
void LoadBsd(absl::string_view bytes, const GmonReading& reading, RawProfile& profile,
             ArcBatch& arcs) {
  using Word = typename Loader::Word;
  constexpr size_t kWord = sizeof(Word);
  if (!profile.histograms.empty()) {
    AddBins<Loader>(bytes.data() + *reading.bsd_bins, profile.histograms.front().bins);
  }
  const char* at = bytes.data() + reading.bsd_arcs;
  for (uint64_t i = 0; i < reading.arcs; ++i, at += 3 * kWord) {
    arcs.Add(at, Loader::template Load<Word>(at), Loader::template Load<Word>(at + kWord),
             Loader::template Load<Word>(at + 2 * kWord));
  }
}

}  // namespace

void LoadGmon(absl::string_view bytes, const GmonReading& reading, RawProfile& profile,
              VisitArcs visit) {
  SetEmptyHistograms(reading, profile.histograms);
  profile.blocks.reserve(reading.blocks);
  ArcBatch arcs(bytes, visit);
  WithLoader(reading.encoding, [&]<typename Loader>(Loader) {
    if (reading.bsd_bins.has_value()) {
      LoadBsd<Loader>(bytes, reading, profile, arcs);
    } else {
      LoadGnu<Loader>(bytes, reading, profile, arcs);
    }
  });
  arcs.Finish();
}

}  // namespace gprofhub::profile
