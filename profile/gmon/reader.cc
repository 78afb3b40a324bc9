// The file does not record the size of its addresses. Reading with the wrong size meets an unknown
// tag, an impossible histogram or the end of the file within a record or two. So every size (and,
// for the BSD formats, byte order) that the options leave open is tried, and the one that reads the
// whole file is used. If none does, the error of the attempt that got furthest is returned.
//
// The bytes are read twice. The first pass (check.h) checks and counts everything, and stores only
// the shapes of the histograms. In the second pass (cursor.h) the file is known to be valid, and
// numbers are read without checks. So a rejected file costs no memory, and an accepted one gets
// each of its arrays in one allocation.
#include "profile/gmon/reader.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "profile/format/gmon.h"

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

// Callers that were rounded down (CallerBlock). The function at a block's first byte need not have
// made a call that returns into the block: the call may be the last one of the function before, or
// the first one of a function that begins within the block. The code decides: of the calls in the
// block, it is the one whose target is the callee, otherwise one whose target the code does not
// contain. Of several, a call that returns to the very address in the file, or else the last.

// The last symbol at or before the address; null: none.
const FunctionSymbol* SymbolBefore(const SymbolTable& image, uint64_t address) {
  const auto after = std::upper_bound(
      image.functions.begin(), image.functions.end(), address,
      [](uint64_t pc, const FunctionSymbol& function) { return pc < function.address; });
  return after == image.functions.begin() ? nullptr : &*std::prev(after);
}

// Null: the code has no such call.
const SharedReturn* ReturnOf(const RawArc& arc, const SymbolTable& image) {
  const uint64_t block = CallerBlock(image.address_size);
  auto next = std::lower_bound(
      image.shared_returns.begin(), image.shared_returns.end(), arc.from_pc,
      [](const SharedReturn& one, uint64_t address) { return one.address < address; });
  if (next == image.shared_returns.end() || next->address - arc.from_pc >= block) return nullptr;
  const FunctionSymbol* const callee = SymbolBefore(image, arc.self_pc);
  const auto likelihood = [&](const SharedReturn& one) {
    if (one.callee == 0) return 1;
    return callee != nullptr && one.callee == callee->address ? 2 : 0;
  };
  const SharedReturn* found = nullptr;
  for (; next != image.shared_returns.end() && next->address - arc.from_pc < block; ++next) {
    // The address may be that of the caller's first byte, in a sum of GNU gprof's.
    if (next->address == arc.from_pc && likelihood(*next) == 0) continue;
    const int more = found == nullptr ? 1 : likelihood(*next) - likelihood(*found);
    if (more > 0 || (more == 0 && found->address != arc.from_pc)) found = &*next;
  }
  return found;
}

bool IsEntry(const SymbolTable& image, uint64_t address) {
  const FunctionSymbol* const function = SymbolBefore(image, address);
  return function != nullptr && function->address == address;
}

// An address in the function that made the call, not its first.
uint64_t CallerOf(const RawArc& arc, const SymbolTable& image, bool to_middle) {
  if (const SharedReturn* const call = ReturnOf(arc, image); call != nullptr) {
    return call->address == arc.from_pc ? arc.from_pc : call->address - 1;
  }
  if (!to_middle) return arc.from_pc;
  const uint64_t block = CallerBlock(image.address_size);
  const FunctionSymbol* const function = SymbolBefore(image, arc.from_pc);
  uint64_t left = block;
  if (function != nullptr && function->size != 0) {
    left = function->address + function->size - arc.from_pc;
    if (arc.from_pc - function->address >= function->size) {
      // Between two functions: the call is of the one that begins in the block.
      const FunctionSymbol* const next = SymbolBefore(image, arc.from_pc + block - 1);
      return next == function ? arc.from_pc : next->address + 1;
    }
  }
  return arc.from_pc + std::min(block / 2, left - 1);
}

}  // namespace

GmonCursor::GmonCursor(absl::string_view bytes, const GmonLayout& layout,
                       const GmonReadOptions& options, std::vector<Histogram> memory)
    : bytes_(bytes),
      layout_(layout),
      options_(options),
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
  if (layout_.has_rounded_callers && options_.image != nullptr) {
    for (RawArc& arc : absl::MakeSpan(arcs_.data(), filled_)) {
      arc.from_pc = CallerOf(arc, *options_.image, options_.to_middle);
    }
  }
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
  const auto mask = static_cast<Word>(layout_.address_mask);
  const auto address = [&](const char* from) -> Word {
    return Numbers::template Load<Word>(from) & mask;
  };
  for (; at != end && *at == GMON_TAG_ARC && filled < arcs_.size(); ++filled) {
    ++at;
    arcs_[filled] = {address(at), address(at + kWord),
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
    rest_.blocks.push_back({Numbers::template Load<Word>(at_) & layout_.address_mask,
                            Numbers::template Load<Word>(at_ + kWord)});
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
    arcs_[filled_++] = {Numbers::template Load<Word>(at_) & layout_.address_mask,
                        Numbers::template Load<Word>(at_ + kWord) & layout_.address_mask,
                        Numbers::template Load<Word>(at_ + 2 * kWord)};
  }
}

// They are ascending.
Histogram& GmonCursor::HistogramFrom(uint64_t low_pc) {
  return *std::lower_bound(
      rest_.histograms.begin(), rest_.histograms.end(), low_pc,
      [](const Histogram& histogram, uint64_t low) { return histogram.low_pc < low; });
}

namespace {

// The one attempt that reached the end of the file.
absl::StatusOr<GmonLayout> Choose(std::vector<GmonLayout> layouts, absl::string_view file_name) {
  GmonLayout* chosen = nullptr;
  GmonLayout* furthest = nullptr;
  for (GmonLayout& layout : layouts) {
    if (furthest == nullptr || layout.offset > furthest->offset) furthest = &layout;
    if (!layout.status.ok()) continue;
    if (chosen != nullptr && !layout.Empty()) {
      return absl::InvalidArgumentError(
          absl::StrFormat("%s: ambiguous: valid both with 8-byte and with 4-byte addresses; "
                          "specify the address size, or the image",
                          file_name));
    }
    if (chosen == nullptr) chosen = &layout;
  }
  if (chosen == nullptr) return furthest->status;
  return std::move(*chosen);
}

std::vector<int> AddressSizes(const GmonReadOptions& options) {
  if (options.address_size.has_value()) return {*options.address_size};
  return {8, 4};
}

absl::StatusOr<GmonLayout> CheckBsdFile(absl::string_view bytes, absl::string_view file_name,
                                        const GmonReadOptions& options) {
  std::vector<bool> orders = {false, true};
  if (options.big_endian.has_value()) orders = {*options.big_endian};
  for (const bool with_version : {true, false}) {
    std::vector<GmonLayout> layouts;
    bool any = false;
    for (const bool big_endian : orders) {
      for (const int size : AddressSizes(options)) {
        layouts.push_back(CheckBsdLayout(bytes, file_name, {size, big_endian}, with_version));
        // A matching version selects this attempt, even if it fails later.
        any = any || layouts.back().status.ok() ||
              (with_version && layouts.back().offset > static_cast<size_t>(2 * size + 8));
      }
    }
    if (any || !with_version) return Choose(std::move(layouts), file_name);
  }
  return absl::InternalError("unreachable");
}

absl::StatusOr<GmonLayout> CheckGnuFile(absl::string_view bytes, absl::string_view file_name,
                                        const GmonReadOptions& options) {
  if (bytes.empty()) {
    return absl::DataLossError(
        absl::StrFormat("%s: the file is empty: the program was killed, or the disk was full when "
                        "it exited; run it again",
                        file_name));
  }
  const absl::string_view magic(GMON_MAGIC, GMON_MAGIC_SIZE);
  if (bytes.substr(0, magic.size()) != magic.substr(0, bytes.size())) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s: header, magic at byte 0: \"%s\" is not \"gmon\": this is not a GNU "
                        "profile (gmon.out); "
                        "old BSD profiles are read only on request",
                        file_name, absl::CHexEscape(bytes.substr(0, magic.size()))));
  }
  if (bytes.size() < GMON_HEADER_SIZE) {
    return absl::DataLossError(
        absl::StrFormat("%s: header at byte 0: needs %d bytes but the file has %d: the file is "
                        "truncated; run the program again and let it exit normally",
                        file_name, GMON_HEADER_SIZE, bytes.size()));
  }
  GmonFields version(bytes.substr(GMON_MAGIC_SIZE, 4), file_name, {8, false});
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
  std::vector<GmonLayout> layouts;
  for (const int size : AddressSizes(options)) {
    layouts.push_back(CheckGnuLayout(bytes, file_name, {size, big_endian}));
  }
  return Choose(std::move(layouts), file_name);
}

}  // namespace

absl::StatusOr<GmonFile> OpenGmon(absl::string_view bytes, absl::string_view file_name,
                                  const GmonReadOptions& options) {
  if (options.address_size.has_value() && *options.address_size != 4 &&
      *options.address_size != 8) {
    return absl::InvalidArgumentError(
        absl::StrFormat("address size %d: must be 4 or 8", *options.address_size));
  }
  ASSIGN_OR_RETURN(GmonLayout layout, options.format == GmonReadOptions::Format::kBsd
                                          ? CheckBsdFile(bytes, file_name, options)
                                          : CheckGnuFile(bytes, file_name, options));
  if (options.has_mode_bit) layout.address_mask = ~uint64_t{1};
  return GmonFile(bytes, std::move(layout), options);
}

absl::StatusOr<RawProfile> ReadGmon(absl::string_view bytes, absl::string_view file_name,
                                    const GmonReadOptions& options) {
  ASSIGN_OR_RETURN(const GmonFile file, OpenGmon(bytes, file_name, options));
  std::vector<RawArc> arcs;
  arcs.reserve(file.arcs());
  GmonCursor cursor = file.Read();
  for (auto next = cursor.NextArcs(); !next.empty(); next = cursor.NextArcs()) {
    arcs.insert(arcs.end(), next.begin(), next.end());
  }
  RawProfile profile = cursor.TakeRest();
  // A sum of gprof's (-s) has the callers' first bytes in place of return addresses.
  const bool has_functions =
      options.to_middle && options.image != nullptr && file.MayHaveFunctionsAsCallers() &&
      std::all_of(arcs.begin(), arcs.end(),
                  [&](const RawArc& arc) { return IsEntry(*options.image, arc.from_pc); });
  if (has_functions) {
    for (RawArc& arc : arcs) ++arc.from_pc;
  }
  profile.arcs = std::move(arcs);
  return profile;
}

namespace {

struct Architecture {
  absl::string_view name;
  int address_size;
  bool big_endian;
};

constexpr std::array kArchitectures = {
    Architecture{"x86_64", 8, false},  Architecture{"aarch64", 8, false},
    Architecture{"riscv64", 8, false}, Architecture{"ppc64le", 8, false},
    Architecture{"s390x", 8, true},    Architecture{"i386", 4, false},
    Architecture{"arm", 4, false},
};

}  // namespace

bool HasModeBit(absl::string_view architecture) { return architecture == "arm"; }

absl::StatusOr<GmonReadOptions> GmonOptionsFor(absl::string_view architecture) {
  std::string known;
  for (const Architecture& candidate : kArchitectures) {
    if (candidate.name == architecture) {
      return GmonReadOptions{GmonReadOptions::Format::kGnu, candidate.address_size,
                             candidate.big_endian, HasModeBit(architecture)};
    }
    absl::StrAppend(&known, known.empty() ? "" : ", ", candidate.name);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("unknown architecture \"", architecture, "\"; use one of ", known));
}

}  // namespace gprofhub::profile
