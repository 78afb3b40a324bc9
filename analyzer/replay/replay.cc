// A trace is kept as blocks of 16 bytes counted from the functions' beginnings, so that it can be
// mapped to any order of the functions. Each replay computes the cache line of every block once and
// runs the entries through the models; most entries hit the line before, and a hit of the same page
// costs the TLB nothing.
#include "analyzer/replay/replay.h"

#include <algorithm>
#include <array>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace gprofhub::analyzer {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kLine = 64;
constexpr uint64_t kLinesPerPage = kPage / kLine;
constexpr uint64_t kMostAlignment = 16;
constexpr size_t kStartupShare = 10;
constexpr uint32_t kNone = UINT32_MAX;
constexpr uint64_t kMostBlocks = UINT32_MAX;  // they are numbered

// Fully associative, least recently used: a list of its entries, latest first.
class Tlb {
 public:
  Tlb(size_t pages, size_t entries) : before_(pages, kNone), after_(pages, kNone), free_(entries) {}

  void Touch(uint32_t page) {
    if (page == latest_) return;
    if (after_[page] != kNone || page == oldest_) {
      Unlink(page);
    } else {
      ++misses_;
      if (free_ == 0) {
        Unlink(oldest_);
      } else {
        --free_;
      }
    }
    before_[page] = kNone;
    after_[page] = latest_;
    if (latest_ != kNone) before_[latest_] = page;
    latest_ = page;
    if (oldest_ == kNone) oldest_ = page;
  }

  uint64_t misses() const { return misses_; }

 private:
  // Never the latest one: it is not looked up, and there is more than one entry.
  void Unlink(uint32_t page) {
    const uint32_t before = before_[page];
    const uint32_t after = after_[page];
    after_[before] = after;
    if (after != kNone) {
      before_[after] = before;
    } else {
      oldest_ = before;
    }
    after_[page] = kNone;
  }

  std::vector<uint32_t> before_;
  std::vector<uint32_t> after_;
  size_t free_;
  uint32_t latest_ = kNone;
  uint32_t oldest_ = kNone;
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
          absl::StrCat(program.image_name, ": its symbols name more than ",
                       kMostBlocks * kTraceBlock, " bytes of functions: no program has so many"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Replayer> Replayer::Create(const profile::SymbolTable& program,
                                          const InstructionTrace& trace) {
  if (absl::Status status = CheckSizes(program); !status.ok()) return status;
  if (!trace.build_id.empty() && !program.build_id.empty() && trace.build_id != program.build_id) {
    return absl::FailedPreconditionError(
        absl::StrCat("the trace is of build-id ", trace.build_id, ", but ", program.image_name,
                     " has ", program.build_id, "; trace that program, or name the other"));
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
    return absl::FailedPreconditionError(absl::StrCat("most of the trace lies in no function that ",
                                                      program.image_name,
                                                      " names; trace that program, not stripped"));
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
  uint32_t latest = kNone;
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
