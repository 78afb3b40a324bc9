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
#include "profile/elf/lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <string.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "profile/elf/line_table.h"
#include "profile/elf/toolchains.h"
#include "profile/names.h"

namespace gprofhub::profile {

// Code that was inlined has two lines or more: its own, which is that of the line table, and for
// each inlined subroutine around it the line that called it. Code of a library's header needs the
// innermost of these lines that is in the program's own file: there its author used the library.
// Other code needs the outermost one, which distinguishes several calls of one function. If the
// function around all of them is an instance of a library's template, such as the body of a thread,
// outer lines are in the library's headers. They are used only if there are no others.
//
// The ranges of one function's subroutines nest. So one sweep over them in ascending order, with
// the open ones on a stack, is sufficient.

namespace {

struct CallPlace {
  uint32_t file = 0;  // index into SymbolTable::files
  uint32_t line = 0;  // 0: not inlined

  friend bool operator==(const CallPlace& a, const CallPlace& b) {
    return a.file == b.file && a.line == b.line;
  }
};

struct InlinedRange {
  uint64_t low;
  uint64_t high;
  CallPlace call;
};

// From an address on: the lines of the calls around the code.
struct CallsAround {
  uint64_t address = 0;
  CallPlace innermost, outermost;  // in the program's own files, if there are any
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
    ForEachDwarfEntry(unit, [&](Dwarf_Die* die, int) {
      if (dwarf_tag(die) == DW_TAG_inlined_subroutine) AddInlined(die);
    });
  }

  absl::Status Finish() {
    RETURN_IF_ERROR(code_.status());
    // Of equal ranges, the deeper one was visited later.
    std::stable_sort(ranges_.begin(), ranges_.end(),
                     [](const InlinedRange& a, const InlinedRange& b) {
                       return a.low != b.low ? a.low < b.low : a.high > b.high;
                     });
    is_library_.reserve(symbols_.files.size());
    for (const std::string& file : symbols_.files) is_library_.push_back(IsLibraryFile(file));
    AppendLines(FindCallsAround());
    return absl::OkStatus();
  }

 private:
  struct Open {
    uint64_t high;
    CallsAround calls;
  };

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
      ranges_.push_back({low, high, {index, static_cast<uint32_t>(line)}});
    });
  }

  bool IsOwn(const CallPlace& place) const { return !is_library_[place.file]; }

  std::vector<CallsAround> FindCallsAround() const {
    std::vector<CallsAround> found;
    std::vector<Open> open;
    const auto begin = [&](uint64_t address, const CallsAround& calls) {
      if (found.empty() || found.back().address != address) found.emplace_back();
      found.back() = {address, calls.innermost, calls.outermost};
    };
    const auto close_until = [&](uint64_t address) {
      while (!open.empty() && open.back().high <= address) {
        const uint64_t end = open.back().high;
        while (!open.empty() && open.back().high <= end) open.pop_back();
        begin(end, open.empty() ? CallsAround() : open.back().calls);
      }
    };
    for (const InlinedRange& range : ranges_) {
      close_until(range.low);
      // Of code that overlaps, what begins first is the outer one.
      Open inner = {range.high, {range.low, range.call, range.call}};
      if (!open.empty()) {
        const Open& outer = open.back();
        inner.high = std::min(inner.high, outer.high);
        const bool none_is_own = !IsOwn(outer.calls.outermost);
        if (!none_is_own || !IsOwn(range.call)) inner.calls.outermost = outer.calls.outermost;
        if (!IsOwn(range.call)) inner.calls.innermost = outer.calls.innermost;
      }
      begin(range.low, inner.calls);
      open.push_back(inner);
    }
    close_until(UINT64_MAX);
    return found;
  }

  void AppendLines(const std::vector<CallsAround>& calls) {
    auto own = symbols_.lines.begin();
    bool is_library = false;  // of the code's own line
    const auto append = [&](uint64_t address, const CallsAround& around) {
      const CallPlace& place = is_library ? around.innermost : around.outermost;
      std::vector<LineRow>& rows = symbols_.call_lines;
      const CallPlace before =
          rows.empty() ? CallPlace() : CallPlace{rows.back().file, rows.back().line};
      if (!(place == before)) rows.push_back({address, place.file, place.line});
    };
    for (size_t i = 0; i < calls.size(); ++i) {
      const uint64_t end = i + 1 < calls.size() ? calls[i + 1].address : calls[i].address + 1;
      for (; own != symbols_.lines.end() && own->address <= calls[i].address; ++own) {
        is_library = is_library_[own->file];
      }
      append(calls[i].address, calls[i]);
      for (; own != symbols_.lines.end() && own->address < end; ++own) {
        is_library = is_library_[own->file];
        append(own->address, calls[i]);
      }
    }
  }

  SymbolTable& symbols_;
  FileNames names_;
  DwarfRanges code_;
  absl::flat_hash_map<uint64_t, LineTable> tables_;  // by offset
  const LineTable* table_ = nullptr;                 // of the current unit
  std::deque<InlinedRange> ranges_;                  // grows without copying
  std::vector<bool> is_library_;                     // by file
};

}  // namespace

absl::Status ReadDwarfCallLines(const ElfFile& file, SymbolTable& symbols) {
  const DwarfHandle dwarf = OpenDwarf(file);
  CallLineReader reader(file, dwarf.get(), symbols);
  absl::Status status =
      ForEachLineTable(file, [&](const LineTable& table) { reader.AddTable(table); });
  if (!status.ok() || dwarf == nullptr) return status;
  status = ForEachDwarfUnit(file, dwarf.get(), [&](Dwarf_Die* unit) { reader.AddUnit(unit); });
  return status.ok() ? reader.Finish() : status;
}

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
    const DwarfHandle dwarf = OpenDwarf(file);
    FileNames names(dwarf.get(), symbols.files, options.absolute_files);
    RowCollector collector(symbols, names, rows, sequences);
    RETURN_IF_ERROR(ForEachLineRow(
        file, [&](const LineTable& table, const LineTableRow& row) { collector.Add(table, row); }));
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

// Every unit's tree of entries is walked once. A function and each function inlined into it give
// one interval per contiguous range of code. Intervals nest. So one sweep over their bounds in
// ascending order, with the open ones on a stack, cuts the code into pieces, each of which belongs
// to the innermost function there. A function with a symbol is named only if the debug information
// has its linkage name.

namespace {

// Limit of all names together, in bytes per byte of debug information. Functions beyond it are not
// named: one name may be a suffix of another, but this is rare in compilers' output.
constexpr uint64_t kFunctionNameBytesForEachByte = 4;
constexpr uint64_t kUnsuspiciousFunctionNameBytes = uint64_t{1} << 20;

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
    RETURN_IF_ERROR(ranges_.status());
    name_bytes_left_ =
        kFunctionNameBytesForEachByte * ranges_.debug_bytes() + kUnsuspiciousFunctionNameBytes;
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
  if (!HasUnits(file)) return absl::OkStatus();
  const DwarfHandle dwarf = OpenDwarf(file);
  if (dwarf == nullptr) return absl::OkStatus();
  ScopeReader reader(file, symbols);
  const absl::Status status =
      ForEachDwarfUnit(file, dwarf.get(), [&](Dwarf_Die* unit) { reader.AddUnit(unit); });
  return status.ok() ? reader.Finish() : status;
}

// Each unit reads the abbreviations of its own table up to the one that it needs, and caches them.
// Compilers give each unit a separate table, dwz lets units share small ones; but thousands of
// units may refer to one huge table. So the sizes of all units' tables are added up, shared ones
// once per unit.

namespace {

constexpr uint64_t kAbbreviationBytesForEachByte = 8;
constexpr uint64_t kUnsuspiciousAbbreviationBytes = uint64_t{1} << 20;

// The size of an abbreviation table in bytes; stops at about `most`.
uint64_t TableBytes(absl::string_view table, uint64_t most) {
  DwarfCursor cursor(table, false);
  const auto taken = [&] { return table.size() - cursor.rest().size(); };
  while (taken() < most && cursor.Unsigned() != 0) {  // its code
    cursor.Unsigned();                                // tag
    cursor.Number(1);                                 // whether it has children
    uint64_t name = 0;
    uint64_t form = 0;
    do {
      name = cursor.Unsigned();
      form = cursor.Unsigned();
      if (form == DW_FORM_implicit_const) cursor.Signed();
    } while (name != 0 || form != 0);
  }
  return taken();
}

// Reads the headers of all units, until their tables have about `most` bytes of abbreviations in
// total, which is added to `bytes`. False: a unit is damaged.
bool ReadUnits(Dwarf* dwarf, absl::string_view abbreviations, uint64_t most, uint64_t& bytes) {
  for (const bool in_types : {false, true}) {
    uint64_t signature = 0;
    Dwarf_Off type = 0;
    Dwarf_Off next = 0;
    size_t header = 0;
    Dwarf_Off table = 0;
    int result = 0;
    for (Dwarf_Off at = 0; bytes <= most && result == 0; at = next) {
      result = dwarf_next_unit(dwarf, at, &next, &header, nullptr, &table, nullptr, nullptr,
                               in_types ? &signature : nullptr, in_types ? &type : nullptr);
      if (result < 0) return false;
      if (result == 0 && table < abbreviations.size()) {
        bytes += TableBytes(abbreviations.substr(table), most - bytes + 1);
      }
    }
  }
  return true;
}

}  // namespace

absl::Status CheckDwarfShape(const ElfFile& file, bool needs_all_units) {
  if (!HasUnits(file)) return absl::OkStatus();
  const DwarfHandle dwarf = OpenDwarf(file);
  if (dwarf == nullptr) return DamagedUnits(file);
  const absl::string_view abbreviations = DebugSection(file, "debug_abbrev");
  const uint64_t units_bytes =
      DebugSection(file, "debug_info").size() + DebugSection(file, "debug_types").size();
  const uint64_t most_bytes = kAbbreviationBytesForEachByte * (units_bytes + abbreviations.size()) +
                              kUnsuspiciousAbbreviationBytes;
  uint64_t bytes = 0;
  const bool are_sound = ReadUnits(dwarf.get(), abbreviations, most_bytes, bytes);
  if (!are_sound && needs_all_units) return DamagedUnits(file);
  if (bytes <= most_bytes) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrFormat("%s: the units of .debug_info refer to more than %d bytes of .debug_abbrev, "
                      "which has %d: the "
                      "file is damaged; build it again, or without -g",
                      file.path, most_bytes, abbreviations.size()));
}

}  // namespace gprofhub::profile
