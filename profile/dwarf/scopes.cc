// Every unit's tree of entries is walked once. A function and each function inlined into it give
// one interval per contiguous range of code. Intervals nest. So one sweep over their bounds in
// ascending order, with the open ones on a stack, cuts the code into pieces, each of which belongs
// to the innermost function there. A function with a symbol is named only if the debug information
// has its linkage name.

#include "profile/dwarf/scopes.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <string.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "profile/dwarf/files.h"
#include "profile/dwarf/ranges.h"
#include "profile/dwarf/tree.h"

namespace gprofhub::profile {
namespace {

// Limit of all names together, in bytes per byte of debug information. Functions beyond it are not
// named: one name may be a suffix of another, but this is rare in compilers' output.
constexpr uint64_t kNameBytesForEachByte = 4;
constexpr uint64_t kUnsuspiciousNameBytes = uint64_t{1} << 20;

struct Interval {
  uint64_t low;
  uint64_t high;
  const char* name;  // libdw's
};

class ScopeReader {
 public:
  ScopeReader(const ElfFile& file, SymbolTable& symbols) : symbols_(symbols), ranges_(file) {}

  void AddUnit(Dwarf_Die* unit) {
    names_are_linkage_names_ = IsUnmangled(dwarf_srclang(unit));
    ForEachDwarfEntry(unit, [this](Dwarf_Die* die, int) {
      const int tag = dwarf_tag(die);
      if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine) {
        AddRanges(die, tag == DW_TAG_inlined_subroutine);
      }
    });
  }

  // Must be called while libdw's names are valid.
  absl::Status Finish() {
    if (absl::Status status = ranges_.status(); !status.ok()) return status;
    name_bytes_left_ = kNameBytesForEachByte * ranges_.debug_bytes() + kUnsuspiciousNameBytes;
    symbols_.scope_names.assign(1, "");
    // Of equal intervals, the deeper one was visited later.
    const auto is_before = [](const Interval& a, const Interval& b) {
      return a.low != b.low ? a.low < b.low : a.high > b.high;
    };
    std::stable_sort(intervals_.begin(), intervals_.end(), is_before);
    std::vector<const Interval*> open;
    const auto close_until = [&](uint64_t address) {
      while (!open.empty() && open.back()->high <= address) {
        const uint64_t end = open.back()->high;
        open.pop_back();
        while (!open.empty() && open.back()->high <= end) open.pop_back();
        Begin(end, open.empty() ? nullptr : open.back()->name);
      }
    };
    for (const Interval& interval : intervals_) {
      close_until(interval.low);
      open.push_back(&interval);
      Begin(interval.low, interval.name);
    }
    close_until(UINT64_MAX);
    return absl::OkStatus();
  }

 private:
  // Whether the language's names are linkage names.
  static bool IsUnmangled(int language) {
    switch (language) {
      case DW_LANG_C:
      case DW_LANG_C89:
      case DW_LANG_C99:
      case DW_LANG_C11:
      case DW_LANG_Mips_Assembler:
        return true;
      default:
        return false;
    }
  }

  void Begin(uint64_t address, const char* linkage_name) {
    const uint32_t name = IndexOf(linkage_name);
    std::vector<CodeScope>& scopes = symbols_.scopes;
    if (!scopes.empty() && scopes.back().address == address) {
      scopes.back().name = name;
    } else {
      scopes.push_back({address, name});
    }
    const uint32_t before = scopes.size() > 1 ? scopes[scopes.size() - 2].name : 0;
    if (before == name) scopes.pop_back();
  }

  // An index in SymbolTable::scope_names.
  uint32_t IndexOf(const char* name) {
    if (name == nullptr) return 0;
    const auto [found, is_unseen] = by_pointer_.try_emplace(name, 0);
    if (!is_unseen) return found->second;
    const absl::string_view text(name, strnlen(name, name_bytes_left_));
    name_bytes_left_ -= text.size();
    if (name_bytes_left_ == 0) return 0;
    const auto [entry, is_new] =
        by_name_.try_emplace(text, static_cast<uint32_t>(symbols_.scope_names.size()));
    if (is_new) symbols_.scope_names.emplace_back(text);
    return found->second = entry->second;
  }

  // An inlined function has its plain name if there is no other; for a function with a symbol, the
  // symbol table is more accurate.
  const char* NameOf(Dwarf_Die* die, bool is_inlined) const {
    Dwarf_Attribute attribute;
    const char* name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));
    if (name == nullptr) {
      name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute));
    }
    if (name == nullptr && (is_inlined || names_are_linkage_names_)) name = dwarf_diename(die);
    return name;
  }

  void AddRanges(Dwarf_Die* die, bool is_inlined) {
    const char* name = nullptr;
    bool is_named = false;
    ranges_.ForEach(die, [&](uint64_t low, uint64_t high) {
      if (low < symbols_.text_low || high > symbols_.text_high) return;
      if (!std::exchange(is_named, true)) name = NameOf(die, is_inlined);
      intervals_.push_back({low, high, name});
    });
  }

  SymbolTable& symbols_;
  DwarfRanges ranges_;
  bool names_are_linkage_names_ = false;  // of the current unit
  std::deque<Interval> intervals_;        // grows without copying
  uint64_t name_bytes_left_ = 0;
  absl::flat_hash_map<const char*, uint32_t> by_pointer_;
  absl::flat_hash_map<absl::string_view, uint32_t> by_name_;
};

}  // namespace

absl::Status ReadDwarfScopes(const ElfFile& file, SymbolTable& symbols) {
  const DwarfHandle dwarf = OpenDwarf(file);
  if (dwarf == nullptr) return absl::OkStatus();
  ScopeReader reader(file, symbols);
  const absl::Status status =
      ForEachDwarfUnit(file, dwarf.get(), [&](Dwarf_Die* unit) { reader.AddUnit(unit); });
  return status.ok() ? reader.Finish() : status;
}

}  // namespace gprofhub::profile
