#include "analyzer/linker_files/placement.h"

#include <algorithm>
#include <map>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "analyzer/linker_files/symbol_file.h"

namespace gprofhub::analyzer {
namespace {

constexpr size_t kNone = SIZE_MAX;

// Indices of a longest non-decreasing subsequence.
std::vector<size_t> LongestRising(const std::vector<size_t>& values) {
  std::vector<size_t> last;  // by length - 1: index of the smallest last element
  std::vector<size_t> before(values.size(), kNone);
  for (size_t i = 0; i < values.size(); ++i) {
    const auto at = std::upper_bound(last.begin(), last.end(), values[i],
                                     [&](size_t value, size_t j) { return value < values[j]; });
    if (at != last.begin()) before[i] = *(at - 1);
    if (at == last.end()) {
      last.push_back(i);
    } else {
      *at = i;
    }
  }
  std::vector<size_t> result;
  for (size_t i = last.empty() ? kNone : last.back(); i != kNone; i = before[i]) {
    result.push_back(i);
  }
  std::reverse(result.begin(), result.end());
  return result;
}

}  // namespace

Placement CheckPlacement(const profile::SymbolTable& binary, absl::Span<const std::string> names) {
  Placement placement;
  absl::flat_hash_map<absl::string_view, size_t> ranks;
  for (const std::string& name : names) {
    if (CanBePlaced(name)) ranks.try_emplace(name, ranks.size());
  }
  placement.asked = ranks.size();

  struct Entry {
    size_t rank = kNone;
    uint64_t size = 0;
  };
  std::map<uint64_t, Entry> entries;  // by address
  absl::flat_hash_map<absl::string_view, std::vector<uint64_t>> addresses;
  for (const profile::FunctionSymbol& symbol : binary.functions) {
    if (!symbol.is_function || symbol.size == 0) continue;
    Entry& entry = entries[symbol.address];
    entry.size = std::max(entry.size, symbol.size);
    const auto rank = ranks.find(symbol.name);
    if (rank == ranks.end()) continue;
    entry.rank = std::min(entry.rank, rank->second);
    addresses[rank->first].push_back(symbol.address);
  }
  placement.present = addresses.size();

  std::vector<uint64_t> at;
  std::vector<size_t> sequence;
  for (const auto& [address, entry] : entries) {
    if (entry.rank == kNone) continue;
    at.push_back(address);
    sequence.push_back(entry.rank);
  }
  absl::flat_hash_set<uint64_t> standing;
  const std::vector<size_t> rising = LongestRising(sequence);
  for (const size_t i : rising) standing.insert(at[i]);
  for (const std::string& name : names) {
    const auto present = addresses.find(name);
    if (present == addresses.end()) continue;
    const bool placed = std::all_of(present->second.begin(), present->second.end(),
                                    [&](uint64_t address) { return standing.contains(address); });
    if (placed) {
      ++placement.placed;
    } else {
      placement.missed.push_back(name);
    }
    addresses.erase(present);  // a name may occur in the ordering twice
  }
  if (rising.empty()) return placement;
  const uint64_t first = at[rising.front()];
  const uint64_t last = at[rising.back()];
  for (auto entry = entries.find(first); entry != entries.end() && entry->first <= last; ++entry) {
    if (entry->second.rank == kNone) ++placement.strangers;
  }
  placement.span = last - first + entries[last].size;
  return placement;
}

}  // namespace gprofhub::analyzer
