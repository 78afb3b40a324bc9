// A line table is a header with file names, and a program that generates the rows (line_rows.cc).
// Both are read here and not by libdw, for three reasons:
//   - libdw takes 80 bytes for each row, which may be one byte of the file. It keeps all of
//     them before it finds that a program is damaged.
//   - It looks for the unit of each table among all units.
//   - Sorting, which libdw does, loses information that the program's order has: which of the rows
//     at an address came first, and where their sequence ends.
#include "profile/elf/line_table.h"

#include <dwarf.h>
#include <limits.h>
#include <string.h>

#include <algorithm>
#include <optional>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"

namespace gprofhub::profile {

namespace {

constexpr uint64_t kNameBytesForEachByte = 32;
constexpr uint64_t kUnsuspiciousNameBytes = uint64_t{1} << 20;

// In the encoding of DWARF 5.
struct EntryFormat {
  uint64_t content;
  uint64_t form;
};

struct FormValue {
  absl::string_view text;
  uint64_t number = 0;
};

class LineTableReader {
 public:
  LineTableReader(const ElfFile& file, bool keeps_names)
      : path_(file.path),
        lines_(DebugSection(file, "debug_line")),
        strings_(DebugSection(file, "debug_str")),
        line_strings_(DebugSection(file, "debug_line_str")),
        big_endian_(file.header.e_ident[EI_DATA] == ELFDATA2MSB),
        keeps_names_(keeps_names),
        most_name_bytes_(kNameBytesForEachByte *
                             (lines_.size() + strings_.size() + line_strings_.size()) +
                         kUnsuspiciousNameBytes) {}

  // Calls `visit` with each table; `visit` returns the error in the table's program, or null.
  absl::Status ForEach(absl::FunctionRef<const char*(LineTable&)> visit) {
    DwarfCursor cursor(lines_, big_endian_);
    while (!cursor.rest().empty()) {
      LineTable table;
      table.offset = lines_.size() - cursor.rest().size();
      const char* damage = Read(cursor, table);
      if (damage == nullptr) damage = visit(table);
      if (damage == nullptr) continue;
      return absl::DataLossError(absl::StrFormat(
          "%s: the table at byte %d of .debug_line is damaged (%s): build it again, or without -g",
          path_, table.offset, damage));
    }
    return absl::OkStatus();
  }

 private:
  const char* Read(DwarfCursor& cursor, LineTable& table) {
    size_t offset_bytes = 4;
    uint64_t length = cursor.Number(offset_bytes);
    if (length == UINT32_MAX) {
      offset_bytes = 8;
      length = cursor.Number(offset_bytes);
    }
    DwarfCursor body(cursor.Bytes(length), big_endian_);
    if (!cursor.ok()) return "the end is beyond the section";
    table.version = static_cast<int>(body.Number(2));
    if (table.version < 2 || table.version > 5) return "unsupported version (supported: 2 to 5)";
    if (table.version >= 5) body.Bytes(2);  // the sizes of addresses and segments
    DwarfCursor header(body.Bytes(body.Number(offset_bytes)), big_endian_);
    table.big_endian = big_endian_;
    table.instruction_bytes = static_cast<uint8_t>(header.Number(1));
    if (table.version >= 4) table.most_operations = static_cast<uint8_t>(header.Number(1));
    header.Number(1);  // default of the is_stmt register
    table.line_base = static_cast<int8_t>(header.Number(1));
    table.line_range = static_cast<uint8_t>(header.Number(1));
    table.first_special = static_cast<uint8_t>(header.Number(1));
    if (!body.ok() || !header.ok()) return "the header is longer than the table";
    if (table.most_operations == 0 || table.line_range == 0 || table.first_special == 0) {
      return "a parameter of the rows is 0";
    }
    table.standard_operands = header.Bytes(table.first_special - 1);
    directory_bytes_.clear();
    if (table.version >= 5) {
      const bool is_sound =
          ReadEntries(header, offset_bytes,
                      [&](const LineFile& entry) { AddDirectory(table, entry.name); }) &&
          ReadEntries(header, offset_bytes, [&](const LineFile& entry) { AddFile(table, entry); });
      if (!is_sound) return "unknown encoding of the names";
    } else {
      ReadOldNames(header, table);
    }
    if (!header.ok()) return "the names end beyond the header";
    if (name_bytes_ > most_name_bytes_) return "long names are repeated";
    table.program = body.rest();
    return nullptr;
  }

  void AddDirectory(LineTable& table, absl::string_view name) {
    directory_bytes_.push_back(static_cast<uint32_t>(name.size()));
    if (keeps_names_) table.directories.push_back(name);
  }

  void AddFile(LineTable& table, const LineFile& file) {
    const uint64_t directory = table.Place(file.directory);
    if (directory < directory_bytes_.size()) name_bytes_ += directory_bytes_[directory];
    if (keeps_names_) table.files.push_back(file);
  }

  // The form before DWARF 5; an empty name ends each list.
  void ReadOldNames(DwarfCursor& header, LineTable& table) {
    while (true) {
      const absl::string_view directory = header.String();
      if (directory.empty()) break;
      AddDirectory(table, directory);
    }
    while (true) {
      LineFile file{header.String()};
      if (file.name.empty()) break;
      file.directory = header.Unsigned();
      header.Unsigned();  // modification time
      header.Unsigned();  // its size
      AddFile(table, file);
    }
  }

  // False: unknown form.
  bool ReadEntries(DwarfCursor& header, size_t offset_bytes,
                   absl::FunctionRef<void(const LineFile&)> add) {
    std::vector<EntryFormat> formats(header.Number(1));
    for (EntryFormat& format : formats) format = {header.Unsigned(), header.Unsigned()};
    const uint64_t count = header.Unsigned();
    if (formats.empty() && count > 0) return false;
    for (uint64_t i = 0; i < count && header.ok() && name_bytes_ <= most_name_bytes_; ++i) {
      LineFile entry;
      for (const EntryFormat& format : formats) {
        const std::optional<FormValue> value = TakeForm(header, format.form, offset_bytes);
        if (!value) return false;
        if (format.content == DW_LNCT_path) entry.name = value->text;
        if (format.content == DW_LNCT_directory_index) entry.directory = value->number;
      }
      if (header.ok()) add(entry);
    }
    return true;
  }

  // Every form takes at least a byte.
  std::optional<FormValue> TakeForm(DwarfCursor& header, uint64_t form, size_t offset_bytes) {
    switch (form) {
      case DW_FORM_string:
        return FormValue{header.String()};
      case DW_FORM_line_strp:
        return StringAt(line_strings_, header.Number(offset_bytes));
      case DW_FORM_strp:
        return StringAt(strings_, header.Number(offset_bytes));
      case DW_FORM_strp_sup:  // in another file
        header.Bytes(offset_bytes);
        return FormValue{};
      case DW_FORM_udata:
        return FormValue{{}, header.Unsigned()};
      case DW_FORM_data1:
        return FormValue{{}, header.Number(1)};
      case DW_FORM_data2:
        return FormValue{{}, header.Number(2)};
      case DW_FORM_data4:
        return FormValue{{}, header.Number(4)};
      case DW_FORM_data8:
        return FormValue{{}, header.Number(8)};
      case DW_FORM_data16:
        header.Bytes(16);
        return FormValue{};
      case DW_FORM_block:
        header.Bytes(header.Unsigned());
        return FormValue{};
      default:
        return std::nullopt;
    }
  }

  FormValue StringAt(absl::string_view strings, uint64_t offset) {
    if (offset >= strings.size()) return {};
    const absl::string_view text = DwarfCursor(strings.substr(offset), big_endian_).String();
    name_bytes_ += text.size();
    return {text};
  }

  const std::string& path_;
  const absl::string_view lines_, strings_, line_strings_;
  const bool big_endian_;
  const bool keeps_names_;
  const uint64_t most_name_bytes_;
  uint64_t name_bytes_ = 0;                // total for the files of all tables
  std::vector<uint32_t> directory_bytes_;  // of the current table
};

}  // namespace

absl::Status ReadLineTables(const ElfFile& file, bool keeps_names,
                            absl::FunctionRef<const char*(LineTable&)> visit) {
  return LineTableReader(file, keeps_names).ForEach(visit);
}

absl::Status ForEachLineTable(const ElfFile& file,
                              absl::FunctionRef<void(const LineTable&)> visit) {
  return ReadLineTables(file, true, [&](LineTable& table) {
    visit(table);
    return nullptr;
  });
}

namespace {

// The compilation directories of units, by the offset of their line tables.
absl::flat_hash_map<uint64_t, absl::string_view> DirectoriesOfUnits(Dwarf* dwarf) {
  absl::flat_hash_map<uint64_t, absl::string_view> directories;
  Dwarf_CU* unit = nullptr;
  Dwarf_Die die;
  while (dwarf_get_units(dwarf, unit, &unit, nullptr, nullptr, &die, nullptr) == 0) {
    Dwarf_Attribute attribute;
    Dwarf_Word table = 0;
    if (dwarf_formudata(dwarf_attr(&die, DW_AT_stmt_list, &attribute), &table) != 0) continue;
    const char* name = dwarf_formstring(dwarf_attr(&die, DW_AT_comp_dir, &attribute));
    if (name == nullptr) continue;
    const size_t size = strnlen(name, PATH_MAX);
    if (size < PATH_MAX) directories.try_emplace(table, name, size);
  }
  return directories;
}

}  // namespace

bool HasUnits(const ElfFile& file) { return !DebugSection(file, "debug_info").empty(); }

DwarfHandle OpenDwarf(const ElfFile& file) {
  DwarfHandle dwarf(dwarf_begin_elf(file.elf.get(), DWARF_C_READ, nullptr));
  if (dwarf == nullptr || file.supplement == nullptr) return dwarf;
  Dwarf* const supplement = dwarf_begin_elf(file.supplement->elf.get(), DWARF_C_READ, nullptr);
  dwarf_setalt(dwarf.get(), supplement);
  dwarf.get_deleter().supplement = supplement;
  return dwarf;
}

absl::Status DamagedUnits(const ElfFile& file) {
  return absl::DataLossError(
      absl::StrFormat("%s: .debug_info is damaged (%s): build it again, or without -g", file.path,
                      dwarf_errmsg(-1)));
}

absl::Status ForEachDwarfUnit(const ElfFile& file, Dwarf* dwarf,
                              absl::FunctionRef<void(Dwarf_Die*)> visit) {
  if (!HasUnits(file)) return absl::OkStatus();  // libdw takes it for damage
  Dwarf_CU* unit = nullptr;
  Dwarf_Die die;
  uint8_t kind = 0;
  int result = 0;
  while ((result = dwarf_get_units(dwarf, unit, &unit, nullptr, &kind, &die, nullptr)) == 0) {
    if (kind == DW_UT_compile || kind == DW_UT_partial) visit(&die);
  }
  return result >= 0 ? absl::OkStatus() : DamagedUnits(file);
}

FileNames::FileNames(Dwarf* dwarf, std::vector<std::string>& files, bool absolute)
    : files_(files), absolute_(absolute) {
  if (dwarf != nullptr) directories_ = DirectoriesOfUnits(dwarf);
  for (size_t i = 0; i < files.size(); ++i) by_name_.try_emplace(files[i], i);
}

std::string FileNames::NameOf(const LineTable& table, const LineFile& file) const {
  const auto unit = directories_.find(table.offset);
  std::string base;
  if (unit != directories_.end()) base = std::string(unit->second);
  // A prefix map (-ffile-prefix-map=$PWD=) may leave the unit none.
  if (base.empty() && table.version >= 5 && !table.directories.empty()) {
    base = std::string(table.directories[0]);
  }
  if (!base.empty() && base.back() != '/') base += '/';

  const uint64_t place = table.Place(file.directory);
  std::string name(file.name);
  if (place < table.directories.size() && !table.directories[place].empty() &&
      !absl::StartsWith(name, "/")) {
    name = absl::StrCat(table.directories[place], "/", name);
  }
  if (!absolute_) return std::string(absl::StripPrefix(name, base));
  return absl::StartsWith(name, "/") ? name : base + name;
}

uint32_t FileNames::IndexOf(const LineTable& table, uint64_t number) {
  const std::pair<uint64_t, uint64_t> asked(table.offset, number);
  if (asked == last_) return last_index_;
  last_ = asked;
  last_index_ = 0;
  const uint64_t place = table.Place(number);
  if (place >= table.files.size()) return 0;
  auto [entry, added] = by_number_.try_emplace(asked, 0);
  if (added) {
    auto [row, is_new] = by_name_.try_emplace(NameOf(table, table.files[place]), files_.size());
    if (is_new) files_.push_back(row->first);
    entry->second = row->second;
  }
  return last_index_ = entry->second;
}

// A line program runs on a small virtual machine whose registers are an address, a file and a line.
// Its instructions change them and append rows.
//
// A program is run twice: first to check it, then for its rows.

namespace {

class LineMachine {
 public:
  LineMachine(LineTable& table, bool keeps_names, VisitRow visit)
      : table_(table), keeps_names_(keeps_names), visit_(visit) {}

  // Null, or the error.
  const char* Run() {
    DwarfCursor program(table_.program, table_.big_endian);
    while (!program.rest().empty()) {
      const auto opcode = static_cast<uint8_t>(program.Number(1));
      if (opcode >= table_.first_special) {
        RunSpecial(opcode);
      } else if (opcode == 0) {
        RunExtended(program);
      } else {
        RunStandard(opcode, program);
      }
      if (!program.ok()) return "the line number program ends within an instruction";
    }
    return nullptr;
  }

 private:
  void Advance(uint64_t operations) {
    const uint64_t sum = operation_ + operations;
    row_.address += table_.instruction_bytes * (sum / table_.most_operations);
    operation_ = sum % table_.most_operations;
  }

  void AppendRow() { visit_(table_, row_); }

  void RunSpecial(uint8_t opcode) {
    const int beyond = opcode - table_.first_special;
    Advance(static_cast<uint64_t>(beyond / table_.line_range));
    row_.line += static_cast<uint32_t>(table_.line_base + beyond % table_.line_range);
    AppendRow();
  }

  void RunStandard(uint8_t opcode, DwarfCursor& program) {
    switch (opcode) {
      case DW_LNS_copy:
        AppendRow();
        return;
      case DW_LNS_advance_pc:
        Advance(program.Unsigned());
        return;
      case DW_LNS_advance_line:
        row_.line += static_cast<uint32_t>(program.Signed());
        return;
      case DW_LNS_set_file:
        row_.file = program.Unsigned();
        return;
      case DW_LNS_const_add_pc:
        Advance(static_cast<uint64_t>((255 - table_.first_special) / table_.line_range));
        return;
      case DW_LNS_fixed_advance_pc:
        row_.address += program.Number(2);
        operation_ = 0;
        return;
      default:
        for (int i = table_.standard_operands[opcode - 1]; i > 0; --i) program.Unsigned();
    }
  }

  void RunExtended(DwarfCursor& program) {
    DwarfCursor instruction(program.Bytes(program.Unsigned()), table_.big_endian);
    switch (instruction.Number(1)) {
      case DW_LNE_end_sequence:
        row_.ends_sequence = true;
        AppendRow();
        row_ = kStart;
        operation_ = 0;
        return;
      case DW_LNE_set_address:
        row_.address = instruction.Number(std::min<size_t>(8, instruction.rest().size()));
        operation_ = 0;
        return;
      case DW_LNE_define_file:
        if (keeps_names_) {
          const absl::string_view name = instruction.String();
          table_.files.push_back({name, instruction.Unsigned()});
        }
        return;
      default:  // only its length is needed
        return;
    }
  }

  static constexpr LineTableRow kStart{0, 1, 1, false};

  LineTable& table_;
  const bool keeps_names_;
  VisitRow visit_;
  LineTableRow row_ = kStart;
  uint64_t operation_ = 0;  // within an instruction
};

absl::Status RunPrograms(const ElfFile& file, bool keeps_names, VisitRow visit) {
  return ReadLineTables(file, keeps_names, [&](LineTable& table) {
    return LineMachine(table, keeps_names, visit).Run();
  });
}

}  // namespace

absl::Status ForEachLineRow(const ElfFile& file, VisitRow visit) {
  return RunPrograms(file, true, visit);
}

absl::Status CheckLineTables(const ElfFile& file) {
  return RunPrograms(file, false, [](const LineTable&, const LineTableRow&) {});
}

}  // namespace gprofhub::profile
