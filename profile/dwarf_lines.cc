// A line table is a list of sequences, each of ascending addresses and closed
// by an end row. libdw hands out the rows of one unit sorted by address. What
// belongs to functions that the linker dropped lies at address 0 or another
// impossible one and is left out. The units' rows are then sorted together:
//   - an end row comes before a row that starts at the same address; rows of its
//     own sequence there, which cover nothing, are left out: libdw has them after
//     it, and the last of them says what the end row says;
//   - of several rows at one address the last is the one in force from there
//     on (the others cover no code), but the first is the one that names the
//     function's own line where the address is a function's entry;
//   - rows that say what the row before said are left out.

#include "profile/dwarf_lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "absl/strings/str_format.h"
#include "profile/dwarf_files.h"

namespace gprofhub {
namespace {

absl::Status Damaged(const ElfFile& file) {
  return absl::DataLossError(
      absl::StrFormat("%s: .debug_line or .debug_info is damaged (%s): build it again, or without "
                      "-g",
                      file.path, dwarf_errmsg(-1)));
}

struct RawRow {
  uint64_t address;
  uint32_t file;
  uint32_t line;
  bool end;
};

bool AreAtOnePlace(Dwarf_Line* a, Dwarf_Line* b) {
  int line_a = 0;
  int line_b = 0;
  int column_a = 0;
  int column_b = 0;
  return dwarf_lineno(a, &line_a) == 0 && dwarf_lineno(b, &line_b) == 0 && line_a == line_b &&
         dwarf_linecol(a, &column_a) == 0 && dwarf_linecol(b, &column_b) == 0 &&
         column_a == column_b &&
         dwarf_linesrc(a, nullptr, nullptr) == dwarf_linesrc(b, nullptr, nullptr);
}

// Whether `row` goes on with a sequence, rather than begin one: functions begin it.
bool GoesOn(Dwarf_Line* row, uint64_t previous, const SymbolTable& symbols) {
  const auto is_function = [&](uint64_t address) {
    const auto function = std::lower_bound(
        symbols.functions.begin(), symbols.functions.end(), address,
        [](const FunctionSymbol& symbol, uint64_t at) { return symbol.address < at; });
    return function != symbols.functions.end() && function->address == address;
  };
  bool is_end = false;
  Dwarf_Addr address = 0;
  if (dwarf_lineendsequence(row, &is_end) != 0 || dwarf_lineaddr(row, &address) != 0) return false;
  return address != previous && (is_end || (is_function(previous) && !is_function(address)));
}

// Past the rows that the sequence of the end row at `end` has at that very address.
size_t PastEnd(Dwarf_Lines* lines, size_t count, size_t end, const SymbolTable& symbols) {
  Dwarf_Line* const end_row = dwarf_onesrcline(lines, end);
  Dwarf_Addr end_address = 0;
  if (dwarf_lineaddr(end_row, &end_address) != 0) return end + 1;
  size_t past = end + 1;
  for (size_t i = end + 1; i < count; ++i) {
    Dwarf_Line* const row = dwarf_onesrcline(lines, i);
    Dwarf_Addr address = 0;
    bool is_end = false;
    if (dwarf_lineaddr(row, &address) != 0 || address != end_address ||
        dwarf_lineendsequence(row, &is_end) != 0 || is_end) {
      break;
    }
    if (AreAtOnePlace(row, end_row)) past = i + 1;
  }
  // The next sequence may begin there, and at the same place of the source.
  const bool begins_there =
      past > end + 1 && past < count && GoesOn(dwarf_onesrcline(lines, past), end_address, symbols);
  return begins_there ? end + 1 : past;
}

void CollectUnit(Dwarf_Lines* lines, size_t count, const SymbolTable& symbols, FileNames& names,
                 std::vector<RawRow>& rows) {
  bool in_text = false;
  bool at_start = true;
  for (size_t i = 0, next = 0; i < count; i = next) {
    next = i + 1;
    Dwarf_Line* line = dwarf_onesrcline(lines, i);
    Dwarf_Addr address = 0;
    int number = 0;
    bool end = false;
    if (dwarf_lineaddr(line, &address) != 0 || dwarf_lineno(line, &number) != 0 ||
        dwarf_lineendsequence(line, &end) != 0) {
      continue;
    }
    if (at_start) in_text = address >= symbols.text_low && address < symbols.text_high;
    at_start = end;
    if (end) next = PastEnd(lines, count, i, symbols);
    if (!in_text) continue;
    const uint32_t file = end ? 0 : names.IndexOf(dwarf_linesrc(line, nullptr, nullptr));
    rows.push_back({address, file, end || number < 0 ? 0 : static_cast<uint32_t>(number), end});
  }
}

void NameFunctions(const std::vector<RawRow>& rows, SymbolTable& symbols) {
  for (FunctionSymbol& function : symbols.functions) {
    auto row = std::lower_bound(
        rows.begin(), rows.end(), function.address,
        [](const RawRow& candidate, uint64_t address) { return candidate.address < address; });
    while (row != rows.end() && row->address == function.address && row->end) ++row;
    if (row == rows.end() || row->address != function.address) {
      if (row == rows.begin()) continue;
      --row;
    }
    if (row->end || row->line == 0) continue;
    function.file = row->file;
    function.line = row->line;
  }
}

void AppendRows(const std::vector<RawRow>& rows, std::vector<LineRow>& lines) {
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i + 1 < rows.size() && rows[i + 1].address == rows[i].address) continue;
    const LineRow row{rows[i].address, rows[i].line == 0 ? 0 : rows[i].file, rows[i].line};
    if (!lines.empty() && lines.back().file == row.file && lines.back().line == row.line) continue;
    lines.push_back(row);
  }
}

}  // namespace

bool HasLines(const ElfFile& file) {
  return std::any_of(file.sections.begin(), file.sections.end(), [](const ElfSection& section) {
    return section.name == ".debug_line" || section.name == ".zdebug_line";
  });
}

absl::Status ReadDwarfLines(const ElfFile& file, SymbolTable& symbols, bool absolute_files) {
  if (!HasLines(file)) return absl::OkStatus();
  std::unique_ptr<Dwarf, DwarfCloser> dwarf(dwarf_begin_elf(file.elf.get(), DWARF_C_READ, nullptr));
  if (dwarf == nullptr) return Damaged(file);

  FileNames names(symbols.files);
  std::vector<RawRow> rows;
  Dwarf_Off next = 0;
  Dwarf_CU* unit = nullptr;
  Dwarf_Lines* lines = nullptr;
  size_t count = 0;
  int result = 0;
  Dwarf_Files* files = nullptr;
  size_t file_count = 0;
  while ((result = dwarf_next_lines(dwarf.get(), next, &next, &unit, &files, &file_count, &lines,
                                    &count)) == 0) {
    const std::string directory = CompilationDirectory(unit, files);
    if (absolute_files) {
      names.BeginAbsoluteUnit(directory, JoinsDirectory(unit));
    } else {
      names.BeginUnit(directory);
    }
    CollectUnit(lines, count, symbols, names, rows);
  }
  if (result < 0) return Damaged(file);

  const auto precedes = [](const RawRow& a, const RawRow& b) {
    return a.address != b.address ? a.address < b.address : a.end && !b.end;
  };
  // As they are where the linker kept the units' order.
  if (!std::is_sorted(rows.begin(), rows.end(), precedes)) {
    std::stable_sort(rows.begin(), rows.end(), precedes);
  }
  NameFunctions(rows, symbols);
  AppendRows(rows, symbols.lines);
  return absl::OkStatus();
}

}  // namespace gprofhub
