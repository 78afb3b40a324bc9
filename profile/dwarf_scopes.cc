// Every unit's tree of entries is walked once. A function and each function
// inlined into it give one interval per contiguous range of code, together with
// how deep it lies. Intervals nest, so that one sweep over their bounds in
// ascending order, with the open ones on a stack, cuts the code into pieces of
// which each belongs to the innermost function there. A function of its own is
// named only if the debug information has its linkage name.

#include "profile/dwarf_scopes.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "profile/dwarf_files.h"
#include "profile/dwarf_ranges.h"
#include "profile/dwarf_tree.h"

namespace gprofhub {
namespace {

struct Interval {
  uint64_t low;
  uint64_t high;
  uint32_t depth;
  uint32_t name;
};

class ScopeReader {
 public:
  ScopeReader(const ElfFile& file, SymbolTable& symbols) : symbols_(symbols), ranges_(file) {
    symbols_.scope_names.assign(1, "");
  }

  void AddUnit(Dwarf_Die* unit) {
    names_are_linkage_names_ = IsUnmangled(dwarf_srclang(unit));
    ForEachDwarfEntry(unit, [this](Dwarf_Die* die, int depth) {
      const int tag = dwarf_tag(die);
      if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine) {
        AddRanges(die, static_cast<uint32_t>(depth), tag == DW_TAG_inlined_subroutine);
      }
    });
  }

  absl::Status status() const { return ranges_.status(); }

  void Finish() {
    std::sort(intervals_.begin(), intervals_.end(), [](const Interval& a, const Interval& b) {
      if (a.low != b.low) return a.low < b.low;
      if (a.high != b.high) return a.high > b.high;
      return a.depth < b.depth;
    });
    std::vector<const Interval*> open;
    const auto close_until = [&](uint64_t address) {
      while (!open.empty() && open.back()->high <= address) {
        const uint64_t end = open.back()->high;
        open.pop_back();
        while (!open.empty() && open.back()->high <= end) open.pop_back();
        Begin(end, open.empty() ? 0 : open.back()->name);
      }
    };
    for (const Interval& interval : intervals_) {
      close_until(interval.low);
      open.push_back(&interval);
      Begin(interval.low, interval.name);
    }
    close_until(UINT64_MAX);
  }

 private:
  // Whether the language's names are what the linker sees.
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

  void Begin(uint64_t address, uint32_t name) {
    std::vector<CodeScope>& scopes = symbols_.scopes;
    if (!scopes.empty() && scopes.back().address == address) {
      scopes.back().name = name;
    } else {
      scopes.push_back({address, name});
    }
    const uint32_t before = scopes.size() > 1 ? scopes[scopes.size() - 2].name : 0;
    if (before == name) scopes.pop_back();
  }

  // An inlined function has its plain name if there is no other; of a function
  // of its own the symbol table knows better.
  uint32_t NameOf(Dwarf_Die* die, bool is_inlined) {
    Dwarf_Attribute attribute;
    const char* name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));
    if (name == nullptr) {
      name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute));
    }
    if (name == nullptr && (is_inlined || names_are_linkage_names_)) name = dwarf_diename(die);
    if (name == nullptr) return 0;
    const auto [entry, is_new] =
        names_.try_emplace(name, static_cast<uint32_t>(symbols_.scope_names.size()));
    if (is_new) symbols_.scope_names.push_back(name);
    return entry->second;
  }

  void AddRanges(Dwarf_Die* die, uint32_t depth, bool is_inlined) {
    uint32_t name = 0;
    ranges_.ForEach(die, [&](uint64_t low, uint64_t high) {
      if (low < symbols_.text_low || high > symbols_.text_high) return;
      if (name == 0) name = NameOf(die, is_inlined);
      intervals_.push_back({low, high, depth, name});
    });
  }

  SymbolTable& symbols_;
  DwarfRanges ranges_;
  bool names_are_linkage_names_ = false;  // of the unit at hand
  std::vector<Interval> intervals_;
  absl::flat_hash_map<std::string, uint32_t> names_;
};

}  // namespace

absl::Status ReadDwarfScopes(const ElfFile& file, SymbolTable& symbols) {
  ScopeReader reader(file, symbols);
  absl::Status status = ForEachDwarfUnit(file, [&](Dwarf_Die* unit) { reader.AddUnit(unit); });
  status.Update(reader.status());
  if (status.ok()) reader.Finish();
  return status;
}

}  // namespace gprofhub
