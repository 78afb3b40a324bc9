// In the line table, a call that was inlined along with its function is in a header that the
// caller's author may never have seen. They need the line in their own function. The debug
// information has it: each outermost inlined subroutine of a function gives the line that called
// it, and its ranges of code. The ranges of one function do not overlap, except for empty ones, so
// sorting them is sufficient.

#include "profile/dwarf/call_lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <deque>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "profile/dwarf/files.h"
#include "profile/dwarf/line_table.h"
#include "profile/dwarf/ranges.h"
#include "profile/dwarf/tree.h"

namespace gprofhub::profile {
namespace {

struct InlinedRange {
  uint64_t low;
  uint64_t high;
  uint32_t file;
  uint32_t line;
};

class CallLineReader {
 public:
  CallLineReader(const ElfFile& file, Dwarf* dwarf, SymbolTable& symbols)
      : symbols_(symbols), names_(dwarf, symbols.files, false), code_(file) {}

  void AddTable(const LineTable& table) { tables_.emplace(table.offset, table); }

  void AddUnit(Dwarf_Die* unit) {
    Dwarf_Attribute attribute;
    Dwarf_Word offset = 0;
    const bool has_table =
        dwarf_formudata(dwarf_attr(unit, DW_AT_stmt_list, &attribute), &offset) == 0;
    const auto table = has_table ? tables_.find(offset) : tables_.end();
    table_ = table == tables_.end() ? nullptr : &table->second;
    int inlined = INT_MAX;  // depth of the outermost open inlined function
    ForEachDwarfEntry(unit, [&](Dwarf_Die* die, int depth) {
      // Functions inlined into it belong to the same line.
      if (depth > inlined) return;
      inlined = INT_MAX;
      if (dwarf_tag(die) != DW_TAG_inlined_subroutine) return;
      AddInlined(die);
      inlined = depth;
    });
  }

  absl::Status Finish() {
    if (absl::Status status = code_.status(); !status.ok()) return status;
    std::sort(ranges_.begin(), ranges_.end(), [](const InlinedRange& a, const InlinedRange& b) {
      if (a.low != b.low) return a.low < b.low;
      return a.high > b.high;
    });
    uint64_t end = 0;  // end of the code covered so far
    for (const InlinedRange& range : ranges_) {
      if (range.low < end) continue;
      if (range.low == end && !symbols_.call_lines.empty()) symbols_.call_lines.pop_back();
      symbols_.call_lines.push_back({range.low, range.file, range.line});
      symbols_.call_lines.push_back({range.high, 0, 0});
      end = range.high;
    }
    return absl::OkStatus();
  }

 private:
  void AddInlined(Dwarf_Die* die) {
    Dwarf_Attribute attribute;
    Dwarf_Word line = 0, file = 0;
    if (dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attribute), &line) != 0) return;
    if (line == 0 || line > INT32_MAX) return;
    uint32_t index = 0;
    if (table_ != nullptr &&
        dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attribute), &file) == 0) {
      index = names_.IndexOf(*table_, file);
    }
    code_.ForEach(die, [&](uint64_t low, uint64_t high) {
      if (low < symbols_.text_low || high > symbols_.text_high) return;
      ranges_.push_back({low, high, index, static_cast<uint32_t>(line)});
    });
  }

  SymbolTable& symbols_;
  FileNames names_;
  DwarfRanges code_;
  absl::flat_hash_map<uint64_t, LineTable> tables_;  // by offset
  const LineTable* table_ = nullptr;                 // of the current unit
  std::deque<InlinedRange> ranges_;                  // grows without copying
};

}  // namespace

absl::Status ReadDwarfCallLines(const ElfFile& file, SymbolTable& symbols) {
  const DwarfHandle dwarf = OpenDwarf(file);  // which inflates the file's sections, too
  CallLineReader reader(file, dwarf.get(), symbols);
  absl::Status status =
      ForEachLineTable(file, [&](const LineTable& table) { reader.AddTable(table); });
  if (!status.ok() || dwarf == nullptr) return status;
  status = ForEachDwarfUnit(file, dwarf.get(), [&](Dwarf_Die* unit) { reader.AddUnit(unit); });
  return status.ok() ? reader.Finish() : status;
}

}  // namespace gprofhub::profile
