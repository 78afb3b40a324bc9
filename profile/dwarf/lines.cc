// A line table is a list of sequences, each of ascending addresses and closed by an end row.
// Sequences of functions that the linker dropped are at address 0 or another impossible one and are
// left out. Functions that several units contain and the linker kept once, mostly inline functions,
// have a sequence in each unit: the first counts. The rows of all are then sorted together:
//   - an end row comes before a row that starts at the same address; rows of its
//     own sequence there, which cover nothing, are left out;
//   - of several rows at one address the last is the one in force from there
//     on (the others cover no code), but the first is the one that names the
//     function's own line where the address is a function's entry;
//   - - rows that repeat the row before are left out.

#include "profile/dwarf/lines.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "profile/dwarf/files.h"
#include "profile/dwarf/line_rows.h"

namespace gprofhub::profile {
namespace {

struct RawRow {
  uint64_t address;
  uint32_t file;
  uint32_t line;
  bool end;
};

// Rows of one sequence.
struct Sequence {
  uint64_t low = 0;   // first address covered
  uint64_t high = 0;  // first address after it
  size_t begin = 0;   // its first row; the last is before the first of the next sequence
};

// Takes the rows of tables, in their order.
class RowCollector {
 public:
  RowCollector(const SymbolTable& symbols, FileNames& names, std::vector<RawRow>& rows,
               std::vector<Sequence>& sequences)
      : low_(symbols.text_low),
        high_(symbols.text_high),
        names_(names),
        rows_(rows),
        sequences_(sequences) {}

  void Add(const LineTable& table, const LineTableRow& row) {
    if (at_start_ || table.offset != table_) {
      table_ = table.offset;
      in_text_ = row.address >= low_ && row.address < high_;
      if (in_text_) sequences_.push_back({row.address, row.address, rows_.size()});
    }
    at_start_ = row.ends_sequence;
    if (!in_text_) return;
    if (row.ends_sequence) {
      Sequence& sequence = sequences_.back();
      while (rows_.size() > sequence.begin && rows_.back().address == row.address) rows_.pop_back();
      rows_.push_back({row.address, 0, 0, true});
      sequence.high = row.address;
    } else {
      const uint32_t line = row.line > INT32_MAX ? 0 : row.line;
      rows_.push_back({row.address, names_.IndexOf(table, row.file), line, false});
    }
  }

 private:
  const uint64_t low_, high_;  // the image's code
  FileNames& names_;
  std::vector<RawRow>& rows_;
  std::vector<Sequence>& sequences_;
  uint64_t table_ = 0;    // offset of the current table, whose last sequence may lack its end
  bool at_start_ = true;  // of a sequence
  bool in_text_ = false;  // the current sequence is in the image's code
};

// Of the sequences that cover the same addresses, keeps the rows of the first.
void DropRepeated(const std::vector<Sequence>& sequences, std::vector<RawRow>& rows) {
  absl::flat_hash_set<std::pair<uint64_t, uint64_t>> known;
  auto kept = rows.begin();
  for (size_t i = 0; i < sequences.size(); ++i) {
    if (!known.insert({sequences[i].low, sequences[i].high}).second) continue;
    const size_t end = i + 1 < sequences.size() ? sequences[i + 1].begin : rows.size();
    kept = std::move(rows.begin() + static_cast<ptrdiff_t>(sequences[i].begin),
                     rows.begin() + static_cast<ptrdiff_t>(end), kept);
  }
  rows.erase(kept, rows.end());
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
    const LineRow row{rows[i].address, rows[i].line != 0 ? rows[i].file : 0, rows[i].line};
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

absl::Status ReadDwarfLines(const ElfFile& file, SymbolTable& symbols,
                            const LineReadOptions& options) {
  if (!HasLines(file)) return absl::OkStatus();
  std::vector<RawRow> rows;
  std::vector<Sequence> sequences;
  {
    const DwarfHandle dwarf = OpenDwarf(file);  // which inflates the file's sections, too
    FileNames names(dwarf.get(), symbols.files, options.absolute_files);
    RowCollector collector(symbols, names, rows, sequences);
    const absl::Status status = ForEachLineRow(
        file, [&](const LineTable& table, const LineTableRow& row) { collector.Add(table, row); });
    if (!status.ok()) return status;
  }

  const auto precedes = [](const RawRow& a, const RawRow& b) {
    return a.address != b.address ? a.address < b.address : a.end && !b.end;
  };
  // Unchanged if the linker kept the units' order.
  if (!std::is_sorted(rows.begin(), rows.end(), precedes)) {
    DropRepeated(sequences, rows);
    std::stable_sort(rows.begin(), rows.end(), precedes);
  }
  NameFunctions(rows, symbols);
  AppendRows(rows, symbols.lines);
  return absl::OkStatus();
}

}  // namespace gprofhub::profile
