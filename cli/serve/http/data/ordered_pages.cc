#include "cli/serve/http/data/ordered_pages.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "analyzer/replay/instruction_trace.h"
#include "analyzer/replay/replay.h"
#include "base/decoding/decoding.h"

namespace gprofhub::cli {
namespace {

constexpr size_t kMostMoved = 100;

// Calls of the functions that ran, by linkage name.
using Ran = absl::flat_hash_map<absl::string_view, uint64_t>;

Ran FunctionsThatRan(const profile::ComputedProfile& profile) {
  Ran ran;
  for (const profile::FunctionCost& function : profile.functions) {
    const uint64_t calls = function.calls + function.self_calls;
    if (calls > 0 || function.self_samples > 0) ran[profile.strings[function.name]] += calls;
  }
  return ran;
}

uint64_t ReplayMemoryOf(const profile::SymbolTable& program, const Ran& ran) {
  // The trace's address, with the slack of a growing vector, and the replayer's block of it.
  constexpr uint64_t kOfEntry = 2 * sizeof(uint64_t) + sizeof(uint32_t);
  // Its function and its line; its share of a page, which two caches keep a list of.
  constexpr uint64_t kOfBlock = 2 * sizeof(uint32_t) + 1;
  constexpr uint64_t kOfFunction = 256;  // in addition to its name, which is there twice
  // More than any program has, and sums of it do not overflow.
  constexpr uint64_t kMostOfFunction = uint64_t{1} << 36;
  uint64_t bytes = 0;
  for (const profile::FunctionSymbol& function : program.functions) {
    const uint64_t blocks = std::min(function.size, kMostOfFunction) / analyzer::kTraceBlock + 1;
    bytes += kOfFunction + 2 * function.name.size() + blocks * kOfBlock;
    if (ran.contains(function.name)) bytes += blocks * kOfEntry;
  }
  return bytes;
}

// A run of the program in which each function that ran does so once, as a whole.
analyzer::InstructionTrace TraceOf(const profile::SymbolTable& program, const Ran& ran) {
  analyzer::InstructionTrace trace;
  trace.build_id = program.build_id;
  for (const profile::FunctionSymbol& function : program.functions) {
    if (!ran.contains(function.name)) continue;
    for (uint64_t at = 0; at < function.size; at += analyzer::kTraceBlock) {
      trace.entries.push_back(function.address + at);
    }
  }
  return trace;
}

std::vector<bool> PagesThatRan(const analyzer::Replayed& replayed) {
  std::vector<bool> pages;
  for (const analyzer::PageTouch touch : replayed.pages) {
    pages.push_back(touch != analyzer::PageTouch::kNever);
  }
  return pages;
}

std::vector<MovedFunction> MovedFunctions(const profile::SymbolTable& program, const Ran& ran,
                                          absl::Span<const std::string> order) {
  absl::flat_hash_map<absl::string_view, uint32_t> now;
  uint32_t place = 0;
  for (const profile::FunctionSymbol& function : program.functions) {
    if (function.is_function) now.emplace(function.name, ++place);
  }
  std::vector<MovedFunction> moved;
  for (const std::string& name : order) {
    const auto at = now.find(name);
    const auto calls = ran.find(name);
    if (at == now.end() || calls == ran.end()) continue;
    moved.push_back({name, calls->second, at->second, static_cast<uint32_t>(moved.size()) + 1});
    if (moved.size() == kMostMoved) break;
  }
  return moved;
}

}  // namespace

uint64_t ReplayMemory(const profile::SymbolTable& program,
                      const profile::ComputedProfile& profile) {
  return ReplayMemoryOf(program, FunctionsThatRan(profile));
}

absl::StatusOr<std::vector<OrderedPages>> PagesInOrder(const PageStore& store,
                                                       const TargetOfRun& target,
                                                       const profile::ComputedProfile& profile,
                                                       absl::Span<const std::string> order) {
  const absl::StatusOr<analyzer::TargetImages> images = ReadImages(store, target);
  if (!images.ok()) return images.status();
  const Ran ran = FunctionsThatRan(profile);
  std::vector<OrderedPages> all;
  for (const auto& [build_id, image] : *images) {
    const absl::StatusOr<base::DecodingPart> memory =
        store.blobs.decoding().Take(ReplayMemoryOf(image.symbols, ran));
    if (!memory.ok()) return memory.status();
    const absl::StatusOr<analyzer::Replayer> replayer =
        analyzer::Replayer::Create(image.symbols, TraceOf(image.symbols, ran));
    if (!replayer.ok()) continue;  // nothing of it ran
    OrderedPages pages;
    pages.image = image.symbols.image_name;
    pages.moved = MovedFunctions(image.symbols, ran, order);
    if (pages.moved.empty()) continue;
    pages.as_linked = PagesThatRan(replayer->Replay({}));
    pages.in_order = PagesThatRan(replayer->Replay(order));
    all.push_back(std::move(pages));
  }
  return all;
}

absl::StatusOr<std::vector<uint64_t>> CountPagesInOrders(
    const PageStore& store, const TargetOfRun& target, const profile::ComputedProfile& profile,
    absl::Span<const std::vector<std::string>> orders) {
  const absl::StatusOr<analyzer::TargetImages> images = ReadImages(store, target);
  if (!images.ok()) return images.status();
  const Ran ran = FunctionsThatRan(profile);
  std::vector<uint64_t> counts(orders.size(), 0);
  for (const auto& [build_id, image] : *images) {
    const absl::StatusOr<base::DecodingPart> memory =
        store.blobs.decoding().Take(ReplayMemoryOf(image.symbols, ran));
    if (!memory.ok()) return memory.status();
    const absl::StatusOr<analyzer::Replayer> replayer =
        analyzer::Replayer::Create(image.symbols, TraceOf(image.symbols, ran));
    if (!replayer.ok()) continue;
    for (size_t i = 0; i < orders.size(); ++i) {
      if (absl::Status wanted = store.blobs.decoding().CheckWanted(); !wanted.ok()) return wanted;
      counts[i] += replayer->Replay(orders[i]).metrics.pages;
    }
  }
  return counts;
}

}  // namespace gprofhub::cli
