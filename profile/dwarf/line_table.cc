// A line table is a header with file names, and a program that generates the rows (line_rows.cc).
// Both are read here and not by libdw, for three reasons:
//   - libdw takes 80 bytes for each row, which may be one byte of the file. It keeps all of
//     them before it finds that a program is damaged.
//   - It looks for the unit of each table among all units.
//   - Sorting, which libdw does, loses information that the program's order has: which of the rows
//     at an address came first, and where their sequence ends.

#include "profile/dwarf/line_table.h"

#include <dwarf.h>

#include <optional>
#include <string>

#include "absl/strings/str_format.h"
#include "profile/dwarf/cursor.h"

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
    if (!cursor.ok()) return "it ends beyond the section";
    table.version = static_cast<int>(body.Number(2));
    if (table.version < 2 || table.version > 5) return "its version is none of 2 to 5";
    if (table.version >= 5) body.Bytes(2);  // the sizes of addresses and segments
    DwarfCursor header(body.Bytes(body.Number(offset_bytes)), big_endian_);
    table.big_endian = big_endian_;
    table.instruction_bytes = static_cast<uint8_t>(header.Number(1));
    if (table.version >= 4) table.most_operations = static_cast<uint8_t>(header.Number(1));
    header.Number(1);  // default of the is_stmt register
    table.line_base = static_cast<int8_t>(header.Number(1));
    table.line_range = static_cast<uint8_t>(header.Number(1));
    table.first_special = static_cast<uint8_t>(header.Number(1));
    if (!body.ok() || !header.ok()) return "its header ends beyond it";
    if (table.most_operations == 0 || table.line_range == 0 || table.first_special == 0) {
      return "a parameter of its rows is 0";
    }
    table.standard_operands = header.Bytes(table.first_special - 1);
    directory_bytes_.clear();
    if (table.version >= 5) {
      const bool is_sound =
          ReadEntries(header, offset_bytes,
                      [&](const LineFile& entry) { AddDirectory(table, entry.name); }) &&
          ReadEntries(header, offset_bytes, [&](const LineFile& entry) { AddFile(table, entry); });
      if (!is_sound) return "its names are encoded in a way that is unknown";
    } else {
      ReadOldNames(header, table);
    }
    if (!header.ok()) return "its names end beyond its header";
    if (name_bytes_ > most_name_bytes_) return "it repeats long names";
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

}  // namespace gprofhub::profile
