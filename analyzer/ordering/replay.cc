// A trace is kept as blocks of 16 bytes counted from the functions' beginnings, so that it can be
// mapped to any order of the functions. Each replay computes the cache line of every block once and
// runs the entries through the models; most entries hit the line before, and a hit of the same page
// costs the TLB nothing.
#include "analyzer/ordering/replay.h"

#include <zstd.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"

namespace gprofhub::analyzer {

// The stored form is a line of text, "gprofhub-trace 1 BUILD_ID INSTRUCTIONS
// ENTRIES BYTES\n" ("-" for no build-id), and a zstd frame of BYTES bytes when
// unpacked: each entry's distance from the one before, zigzag-coded (0, -1, 1, -2, …
// become 0, 1, 2, 3, …) as a base-128 number, low digits first, the high bit set on
// all bytes but the last.

namespace {

constexpr absl::string_view kMagic = "gprofhub-trace 1 ";
constexpr uint64_t kMostEntries = std::numeric_limits<uint32_t>::max();
constexpr size_t kLongestNumber = 10;  // bytes

// "I  0010915a,3": address and length of an instruction.
bool ParseInstruction(absl::string_view line, uint64_t& address, uint64_t& length) {
  if (!absl::StartsWith(line, "I  ")) return false;
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(line.substr(3), absl::MaxSplits(',', 1));
  return absl::SimpleHexAtoi(parts.first, &address) && absl::SimpleAtoi(parts.second, &length) &&
         length > 0 && length <= kTraceBlock;
}

absl::Status Damaged(absl::string_view name, absl::string_view what) {
  return absl::DataLossError(absl::StrCat(name, " is damaged: ", what, "; record the trace again"));
}

}  // namespace

absl::StatusOr<InstructionTrace> ReadLackeyTrace(std::istream& text, absl::string_view name,
                                                 const profile::SymbolTable& program,
                                                 uint64_t load_bias) {
  InstructionTrace trace;
  trace.build_id = program.build_id;
  uint64_t block = std::numeric_limits<uint64_t>::max();
  std::string line;
  while (std::getline(text, line)) {
    uint64_t address = 0;
    uint64_t length = 0;
    if (!ParseInstruction(line, address, length)) continue;
    address -= load_bias;
    if (address < program.text_low || address >= program.text_high) continue;
    ++trace.instructions;
    // One that straddles two blocks enters both.
    for (uint64_t at = address; at < address + length; at = (at / kTraceBlock + 1) * kTraceBlock) {
      if (at / kTraceBlock == block) continue;
      block = at / kTraceBlock;
      trace.entries.push_back(at);
    }
    if (trace.entries.size() > kMostEntries) {
      return absl::ResourceExhaustedError(
          absl::StrCat(name, " is too long; trace a shorter workload"));
    }
  }
  if (trace.entries.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        name, " contains no instruction of ", program.image_name,
        "; record a trace of that program with valgrind --tool=lackey --trace-mem=yes"));
  }
  return trace;
}

std::string EncodeTrace(const InstructionTrace& trace) {
  std::string numbers;
  uint64_t before = 0;
  for (const uint64_t entry : trace.entries) {
    const uint64_t distance = entry - before;
    before = entry;
    uint64_t number = distance << 1 ^ (distance >> 63 != 0 ? ~uint64_t{0} : 0);
    while (number >= 0x80) {
      numbers.push_back(static_cast<char>(number | 0x80));
      number >>= 7;
    }
    numbers.push_back(static_cast<char>(number));
  }
  std::string packed(ZSTD_compressBound(numbers.size()), '\0');
  packed.resize(
      ZSTD_compress(packed.data(), packed.size(), numbers.data(), numbers.size(), /*level=*/6));
  return absl::StrCat(kMagic, trace.build_id.empty() ? "-" : trace.build_id, " ",
                      trace.instructions, " ", trace.entries.size(), " ", numbers.size(), "\n",
                      packed);
}

bool IsStoredTrace(absl::string_view bytes) { return absl::StartsWith(bytes, kMagic); }

absl::StatusOr<InstructionTrace> DecodeTrace(absl::string_view bytes, absl::string_view name) {
  const size_t end = bytes.find('\n');
  if (!IsStoredTrace(bytes) || end == absl::string_view::npos) {
    return absl::InvalidArgumentError(absl::StrCat(name, " is not a stored instruction trace"));
  }
  const std::vector<absl::string_view> fields =
      absl::StrSplit(bytes.substr(kMagic.size(), end - kMagic.size()), ' ');
  InstructionTrace trace;
  uint64_t entries = 0;
  uint64_t size = 0;
  if (fields.size() != 4 || !absl::SimpleAtoi(fields[1], &trace.instructions) ||
      !absl::SimpleAtoi(fields[2], &entries) || !absl::SimpleAtoi(fields[3], &size) ||
      entries > kMostEntries || size < entries || size > entries * kLongestNumber) {
    return Damaged(name, "invalid first line");
  }
  if (fields[0] != "-") trace.build_id = std::string(fields[0]);
  const absl::string_view packed = bytes.substr(end + 1);
  if (ZSTD_getFrameContentSize(packed.data(), packed.size()) != size) {
    return Damaged(name, "the length differs from that in the first line");
  }
  std::string numbers(size, '\0');
  if (ZSTD_decompress(numbers.data(), size, packed.data(), packed.size()) != size) {
    return Damaged(name, "cannot decompress it");
  }
  trace.entries.reserve(entries);
  uint64_t at = 0;
  uint64_t number = 0;
  int shift = 0;
  for (const char byte : numbers) {
    if (shift > 63) return Damaged(name, "invalid entry");
    number |= uint64_t{static_cast<uint8_t>(byte) & 0x7fu} << shift;
    shift += 7;
    if ((static_cast<uint8_t>(byte) & 0x80u) != 0) continue;
    at += number >> 1 ^ ((number & 1) != 0 ? ~uint64_t{0} : 0);
    trace.entries.push_back(at);
    number = 0;
    shift = 0;
  }
  if (trace.entries.size() != entries || shift != 0)
    return Damaged(name, "wrong number of entries");
  return trace;
}

namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kLine = 64;
constexpr uint64_t kLinesPerPage = kPage / kLine;
constexpr uint64_t kMostAlignment = 16;
constexpr size_t kStartupShare = 10;
constexpr uint32_t kNoPage = UINT32_MAX;
constexpr uint64_t kMostBlocks = UINT32_MAX;  // they are numbered

// Fully associative, least recently used: a list of its entries, latest first.
class Tlb {
 public:
  Tlb(size_t pages, size_t entries)
      : before_(pages, kNoPage), after_(pages, kNoPage), free_(entries) {}

  void Touch(uint32_t page) {
    if (page == latest_) return;
    if (after_[page] != kNoPage || page == oldest_) {
      Unlink(page);
    } else {
      ++misses_;
      if (free_ == 0) {
        Unlink(oldest_);
      } else {
        --free_;
      }
    }
    before_[page] = kNoPage;
    after_[page] = latest_;
    if (latest_ != kNoPage) before_[latest_] = page;
    latest_ = page;
    if (oldest_ == kNoPage) oldest_ = page;
  }

  uint64_t misses() const { return misses_; }

 private:
  // Never the latest one: it is not looked up, and there is more than one entry.
  void Unlink(uint32_t page) {
    const uint32_t before = before_[page];
    const uint32_t after = after_[page];
    after_[before] = after;
    if (after != kNoPage) {
      before_[after] = before;
    } else {
      oldest_ = before;
    }
    after_[page] = kNoPage;
  }

  std::vector<uint32_t> before_;
  std::vector<uint32_t> after_;
  size_t free_;
  uint32_t latest_ = kNoPage;
  uint32_t oldest_ = kNoPage;
  uint64_t misses_ = 0;
};

class InstructionCache {
 public:
  void Touch(uint64_t line) {
    std::array<uint64_t, kWays>& set = sets_[line % kSets];
    size_t way = 0;
    while (way + 1 < kWays && set[way] != line + 1) ++way;
    if (set[way] != line + 1) ++misses_;
    std::move_backward(set.begin(), set.begin() + way, set.begin() + way + 1);
    set[0] = line + 1;
  }

  uint64_t misses() const { return misses_; }

 private:
  static constexpr size_t kWays = 8;
  static constexpr size_t kSets = 32 * 1024 / kLine / kWays;
  // Lines + 1, latest first; 0: empty.
  std::array<std::array<uint64_t, kWays>, kSets> sets_ = {};
  uint64_t misses_ = 0;
};

absl::Status CheckSizes(const profile::SymbolTable& program) {
  uint64_t blocks = 0;
  for (const profile::FunctionSymbol& symbol : program.functions) {
    blocks += symbol.size / kTraceBlock + 1;
    if (blocks > kMostBlocks) {
      return absl::InvalidArgumentError(
          absl::StrCat(program.image_name, ": the symbols cover more than ",
                       kMostBlocks * kTraceBlock, " bytes of functions"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Replayer> Replayer::Create(const profile::SymbolTable& program,
                                          const InstructionTrace& trace) {
  RETURN_IF_ERROR(CheckSizes(program));
  if (!trace.build_id.empty() && !program.build_id.empty() && trace.build_id != program.build_id) {
    return absl::FailedPreconditionError(
        absl::StrCat("the trace is of build-id ", trace.build_id, ", but ", program.image_name,
                     " has ", program.build_id, "; trace that program, or pass the traced one"));
  }
  Replayer replayer;
  for (const profile::FunctionSymbol& symbol : program.functions) {
    if (!symbol.is_function || symbol.size == 0) continue;
    std::vector<Function>& functions = replayer.functions_;
    if (!functions.empty() && symbol.address < functions.back().address + functions.back().size) {
      functions.back().aliases.push_back(symbol.name);
      continue;
    }
    functions.push_back({symbol.name, {}, symbol.address, symbol.size, 0});
  }
  for (uint32_t i = 0; i < replayer.functions_.size(); ++i) {
    Function& function = replayer.functions_[i];
    function.first_block = static_cast<uint32_t>(replayer.block_function_.size());
    replayer.block_function_.insert(replayer.block_function_.end(),
                                    (function.size + kTraceBlock - 1) / kTraceBlock, i);
  }
  replayer.entries_.reserve(trace.entries.size());
  for (const uint64_t address : trace.entries) {
    const auto next = std::upper_bound(
        replayer.functions_.begin(), replayer.functions_.end(), address,
        [](uint64_t value, const Function& function) { return value < function.address; });
    if (next == replayer.functions_.begin()) continue;
    const Function& function = *(next - 1);
    if (address - function.address >= function.size) continue;
    replayer.entries_.push_back(function.first_block +
                                static_cast<uint32_t>((address - function.address) / kTraceBlock));
  }
  if (replayer.entries_.empty() || replayer.entries_.size() < trace.entries.size() / 2) {
    return absl::FailedPreconditionError(
        absl::StrCat("most of the trace lies outside the functions of ", program.image_name,
                     "; trace that program, not a stripped one"));
  }
  return replayer;
}

std::vector<uint32_t> Replayer::Layout(absl::Span<const std::string> names) const {
  absl::flat_hash_map<absl::string_view, std::vector<uint32_t>> by_name;
  for (uint32_t i = 0; i < functions_.size(); ++i) {
    by_name[functions_[i].name].push_back(i);
    for (const std::string& alias : functions_[i].aliases) by_name[alias].push_back(i);
  }
  std::vector<bool> placed(functions_.size(), false);
  std::vector<uint32_t> layout;
  layout.reserve(functions_.size());
  const auto place = [&](uint32_t function) {
    if (!placed[function]) layout.push_back(function);
    placed[function] = true;
  };
  for (const std::string& name : names) {
    const auto known = by_name.find(name);
    if (known == by_name.end()) continue;
    for (const uint32_t function : known->second) place(function);
  }
  for (uint32_t i = 0; i < functions_.size(); ++i) place(i);
  return layout;
}

Replayed Replayer::Replay(absl::Span<const std::string> names) const {
  std::vector<uint64_t> addresses(functions_.size());
  uint64_t end = functions_.front().address % kPage;
  for (const uint32_t i : Layout(names)) {
    const uint64_t alignment =
        std::min(kMostAlignment, functions_[i].address & (~functions_[i].address + 1));
    if (alignment > 1) end = (end + alignment - 1) / alignment * alignment;
    addresses[i] = end;
    end += functions_[i].size;
  }
  std::vector<uint32_t> lines(block_function_.size());
  for (uint32_t block = 0; block < lines.size(); ++block) {
    const uint32_t function = block_function_[block];
    lines[block] = static_cast<uint32_t>(
        (addresses[function] + (block - functions_[function].first_block) * kTraceBlock) / kLine);
  }

  Replayed replayed;
  replayed.pages.resize(end / kPage + 1, PageTouch::kNever);
  Tlb itlb_16(replayed.pages.size(), 16);
  Tlb itlb_64(replayed.pages.size(), 64);
  InstructionCache l1i;
  const size_t startup = (entries_.size() + kStartupShare - 1) / kStartupShare;
  uint32_t latest = kNoPage;
  for (size_t i = 0; i < entries_.size(); ++i) {
    const uint32_t line = lines[entries_[i]];
    if (line == latest) continue;
    latest = line;
    const uint32_t page = line / kLinesPerPage;
    if (replayed.pages[page] == PageTouch::kNever) {
      replayed.pages[page] = i < startup ? PageTouch::kStartup : PageTouch::kLater;
      ++replayed.metrics.pages;
      if (i < startup) ++replayed.metrics.startup_pages;
    }
    itlb_16.Touch(page);
    itlb_64.Touch(page);
    l1i.Touch(line);
  }
  replayed.metrics.itlb_misses_16 = itlb_16.misses();
  replayed.metrics.itlb_misses_64 = itlb_64.misses();
  replayed.metrics.l1i_misses = l1i.misses();
  return replayed;
}

ReplayLimit Replayer::Limit() const {
  std::vector<bool> ran(functions_.size(), false);
  const size_t startup = (entries_.size() + kStartupShare - 1) / kStartupShare;
  uint64_t bytes = 0;
  ReplayLimit limit;
  for (size_t i = 0; i < entries_.size(); ++i) {
    const uint32_t function = block_function_[entries_[i]];
    if (!ran[function]) bytes += functions_[function].size;
    ran[function] = true;
    if (i < startup) limit.startup_pages = static_cast<double>(bytes) / kPage;
  }
  limit.pages = static_cast<double>(bytes) / kPage;
  return limit;
}

}  // namespace gprofhub::analyzer
