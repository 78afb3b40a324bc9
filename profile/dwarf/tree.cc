// libdw finds the end of an entry that has children but no reference to its sibling by reading
// everything below it. Because each level is walked by siblings, entries at depth n are read n
// times: a few times in compilers' output, but up to the maximum depth in a crafted file. So the
// bytes that are read again are added up. And an entry may name as its sibling one that is below
// it: walking both paths would double the time at each such level. So entries must ascend.

#include "profile/dwarf/tree.h"

#include <dwarf.h>

#include <cstdint>

namespace gprofhub::profile {
namespace {

// The tree is walked by recursion; compilers nest a few tens deep.
constexpr int kDeepest = 400;
constexpr uint64_t kReadingsOfEachByte = 32;
constexpr uint64_t kUnsuspiciousBytes = uint64_t{1} << 20;

class Walker {
 public:
  Walker(Dwarf_Die* unit, absl::FunctionRef<void(Dwarf_Die*, int depth)> visit)
      : visit_(visit), start_(dwarf_dieoffset(unit)), last_(start_) {}

  // False: the rest of the unit is skipped.
  bool Walk(Dwarf_Die* die, int depth) {
    const uint64_t offset = dwarf_dieoffset(die);
    if (depth > kDeepest || (depth > 0 && offset <= last_)) return false;
    last_ = offset;
    visit_(die, depth);
    Dwarf_Die child;
    if (!dwarf_haschildren(die) || dwarf_child(die, &child) != 0) return true;
    do {
      if (!Walk(&child, depth + 1)) return false;
      if (dwarf_haschildren(&child) && !dwarf_hasattr(&child, DW_AT_sibling)) {
        read_again_ += last_ - dwarf_dieoffset(&child);
      }
      if (read_again_ > kReadingsOfEachByte * (last_ - start_) + kUnsuspiciousBytes) return false;
    } while (dwarf_siblingof(&child, &child) == 0);
    return true;
  }

 private:
  absl::FunctionRef<void(Dwarf_Die*, int depth)> visit_;
  const uint64_t start_;
  uint64_t last_;  // position of the entry visited last
  uint64_t read_again_ = 0;
};

}  // namespace

void ForEachDwarfEntry(Dwarf_Die* unit, absl::FunctionRef<void(Dwarf_Die*, int depth)> visit) {
  Walker(unit, visit).Walk(unit, 0);
}

}  // namespace gprofhub::profile
