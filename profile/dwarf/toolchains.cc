// Each unit names its producer, and has ranges of code. A function belongs to the unit in whose
// range it begins.
//
// A function with inlined calls has an entry that records this (DW_AT_inline), in each unit that
// inlined it. So a function without such an entry was called out of line everywhere: its total
// calls depend on the source alone. This distinguishes a change of the source from a change of the
// toolchain.
#include "profile/dwarf/toolchains.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <string.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "profile/dwarf/files.h"
#include "profile/dwarf/inlined_functions.h"
#include "profile/dwarf/ranges.h"
#include "profile/dwarf/tree.h"
#include "profile/names/qualified_name.h"
#include "profile/names/toolchain_name.h"

namespace gprofhub::profile {
namespace {

constexpr size_t kMostToolchains = 1000;
constexpr size_t kLongestProducer = 4096;
constexpr size_t kLongestName = 4096;
// Limit of the names that are read, per byte of debug information: one may be a suffix of another.
constexpr uint64_t kNameBytesForEachByte = 4;
constexpr uint64_t kUnsuspiciousNameBytes = uint64_t{1} << 20;

struct UnitRange {
  uint64_t low;
  uint64_t high;
  uint32_t toolchain;
};

class ToolchainReader {
 public:
  ToolchainReader(const ElfFile& file, SymbolTable& symbols)
      : symbols_(symbols),
        ranges_(file),
        bytes_left_(kNameBytesForEachByte * ranges_.debug_bytes() + kUnsuspiciousNameBytes) {}

  void AddUnit(Dwarf_Die* unit) {
    if (const uint32_t toolchain = ToolchainOf(unit); toolchain != 0) {
      ranges_.ForEach(unit, [&](uint64_t low, uint64_t high) {
        units_.push_back({low, high, toolchain});
      });
    }
    ForEachDwarfEntry(unit, [this](Dwarf_Die* die, int depth) {
      inlined_into_.Take(die, depth, [this](Dwarf_Die* origin) { return NameOf(origin); });
      if (dwarf_tag(die) != DW_TAG_subprogram) return;
      Dwarf_Attribute attribute;
      Dwarf_Word inlined = 0;
      if (dwarf_formudata(dwarf_attr(die, DW_AT_inline, &attribute), &inlined) != 0) return;
      if (inlined == DW_INL_inlined || inlined == DW_INL_declared_inlined) NoteInlined(die);
    });
  }

  // Must be called while libdw's names are valid.
  absl::Status Finish() {
    if (absl::Status status = ranges_.status(); !status.ok()) return status;
    std::sort(units_.begin(), units_.end(), [](const UnitRange& a, const UnitRange& b) {
      return a.low != b.low ? a.low < b.low : a.high < b.high;
    });
    auto next = units_.begin();
    for (FunctionSymbol& function : symbols_.functions) {
      while (next != units_.end() && next->low <= function.address) ++next;
      if (next == units_.begin()) continue;
      const UnitRange& unit = *std::prev(next);
      if (function.address >= unit.high) continue;
      function.toolchain = unit.toolchain;
      function.never_inlined =
          bytes_left_ > 0 && function.name.size() < kLongestName && !MayBeInlined(function);
    }
    symbols_.inlined = inlined_into_.Finish();
    return absl::OkStatus();
  }

 private:
  // The text at `name`, within the limit; empty: there is none, or it is too long.
  absl::string_view Text(const char* name, size_t longest) {
    if (name == nullptr) return {};
    const size_t most = static_cast<size_t>(std::min<uint64_t>(longest, bytes_left_));
    const size_t size = strnlen(name, most);
    bytes_left_ -= std::min<uint64_t>(bytes_left_, size + 1);
    return size == most ? absl::string_view() : absl::string_view(name, size);
  }

  uint32_t ToolchainOf(Dwarf_Die* unit) {
    Dwarf_Attribute attribute;
    const char* producer = dwarf_formstring(dwarf_attr(unit, DW_AT_producer, &attribute));
    if (producer == nullptr) return 0;
    // Units share the string.
    const auto [known, is_new] = by_pointer_.try_emplace(producer, 0);
    if (!is_new) return known->second;
    std::string name = ToolchainName(Text(producer, kLongestProducer));
    if (name.empty()) return 0;
    const auto found = by_name_.find(name);
    if (found != by_name_.end()) return known->second = found->second;
    if (by_name_.size() == kMostToolchains) return 0;
    known->second = static_cast<uint32_t>(symbols_.toolchains.size());
    symbols_.toolchains.push_back(name);
    by_name_.emplace(std::move(name), known->second);
    return known->second;
  }

  absl::string_view NameOf(Dwarf_Die* die) {
    Dwarf_Attribute attribute;
    const char* name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));
    if (name == nullptr) {
      name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute));
    }
    if (name == nullptr) name = dwarf_diename(die);
    return Text(name, kLongestName);
  }

  // gcc gives a function with internal linkage no linkage name.
  bool MayBeInlined(const FunctionSymbol& function) const {
    return inlined_.contains(function.name) ||
           (function.is_local && inlined_.contains(LocalName(function.name)));
  }

  void NoteInlined(Dwarf_Die* die) {
    const absl::string_view name = NameOf(die);
    if (!name.empty()) inlined_.insert(name);
  }

  SymbolTable& symbols_;
  DwarfRanges ranges_;
  uint64_t bytes_left_;  // remaining bytes of names; none: no function is known never to be inlined
  std::deque<UnitRange> units_;
  absl::flat_hash_map<const char*, uint32_t> by_pointer_;
  absl::flat_hash_map<std::string, uint32_t> by_name_;
  absl::flat_hash_set<absl::string_view> inlined_;  // libdw's
  InlinedFunctions inlined_into_;
};

}  // namespace

absl::Status ReadDwarfToolchains(const ElfFile& file, SymbolTable& symbols) {
  const DwarfHandle dwarf = OpenDwarf(file);  // which inflates the file's sections, too
  if (dwarf == nullptr) return absl::OkStatus();
  ToolchainReader reader(file, symbols);
  const absl::Status status =
      ForEachDwarfUnit(file, dwarf.get(), [&](Dwarf_Die* unit) { reader.AddUnit(unit); });
  return status.ok() ? reader.Finish() : status;
}

}  // namespace gprofhub::profile
