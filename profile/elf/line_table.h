// The headers of .debug_line's tables, DWARF 2 to 5, with their file names. Their rows:
// line_rows.h.
#pragma once

#include <elfutils/libdw.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "profile/elf/file.h"

namespace gprofhub::profile {

// Reads numbers and strings from the bytes of a DWARF section.

// Reads beyond the end return 0 or empty, and consume the rest.
class DwarfCursor {
 public:
  DwarfCursor(absl::string_view bytes, bool big_endian) : rest_(bytes), big_endian_(big_endian) {}

  bool ok() const { return ok_; }  // false after a read beyond the end
  absl::string_view rest() const { return rest_; }

  absl::string_view Bytes(uint64_t size) {
    if (size > rest_.size()) return Fail();
    const absl::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  // Of at most 8 bytes.
  uint64_t Number(size_t size) {
    const absl::string_view bytes = Bytes(size);
    uint64_t value = 0;
    for (size_t i = 0; i < bytes.size(); ++i) {
      const size_t digit = big_endian_ ? i : bytes.size() - 1 - i;
      value = value << 8 | static_cast<unsigned char>(bytes[digit]);
    }
    return value;
  }

  // LEB128; the lowest 64 bits of larger numbers.
  uint64_t Unsigned() { return Variable(false); }
  int64_t Signed() { return static_cast<int64_t>(Variable(true)); }

  // Up to a zero byte, which is consumed, too.
  absl::string_view String() {
    const size_t size = rest_.find('\0');
    if (size == absl::string_view::npos) return Fail();
    const absl::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size + 1);
    return taken;
  }

 private:
  absl::string_view Fail() {
    ok_ = false;
    return rest_ = {};
  }

  uint64_t Variable(bool is_signed) {
    uint64_t value = 0;
    for (size_t i = 0; i < rest_.size(); ++i) {
      const auto byte = static_cast<unsigned char>(rest_[i]);
      const size_t shift = 7 * i;
      if (shift < 64) value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) != 0) continue;
      if (is_signed && (byte & 0x40) != 0 && shift + 7 < 64) value |= UINT64_MAX << (shift + 7);
      rest_.remove_prefix(i + 1);
      return value;
    }
    Fail();
    return 0;
  }

  absl::string_view rest_;
  bool big_endian_;
  bool ok_ = true;
};

struct LineFile {
  absl::string_view name;
  uint64_t directory = 0;
};

// Views point into the file's sections.
struct LineTable {
  uint64_t offset = 0;  // in .debug_line
  int version = 0;
  // Indexed by the numbers in a program and in DW_AT_call_file; from DWARF 5 on the first directory
  // is the compilation directory, before that number 0 is it.
  std::vector<absl::string_view> directories;
  std::vector<LineFile> files;
  // Index of a number in these lists; past their end if invalid.
  uint64_t Place(uint64_t number) const { return number - (version < 5 ? 1 : 0); }

  bool big_endian = false;
  uint8_t instruction_bytes = 1;  // addresses are multiples of this
  uint8_t most_operations = 1;    // operations per instruction
  int8_t line_base = 0;
  uint8_t line_range = 1;
  uint8_t first_special = 1;            // opcode
  absl::string_view standard_operands;  // number of operands of each standard opcode
  absl::string_view program;
};

// Calls `visit` with every table, in order. It returns the error in the table's program, or null.
// The file's debug sections must be decompressed (profile/elf/sections.h). `keeps_names`: the
// tables have their directories and files. Otherwise nothing is stored.
//
// DataLoss: a table is damaged or not a line table. Or the names of the tables' files, with their
// directories, have more than 32 times as many bytes as the sections that contain them, plus a
// megabyte: many entries may refer to one long string. Compilers' output is far below. The
// preceding tables have been visited.
absl::Status ReadLineTables(const ElfFile& file, bool keeps_names,
                            absl::FunctionRef<const char*(LineTable&)> visit);

// As above, for callers that need names but no rows.
absl::Status ForEachLineTable(const ElfFile& file, absl::FunctionRef<void(const LineTable&)> visit);

// Shared by the readers of DWARF: its handle, its units, and the names of source files.

struct DwarfCloser {
  Dwarf* supplement = nullptr;  // null: none

  void operator()(Dwarf* dwarf) const {
    dwarf_end(dwarf);
    dwarf_end(supplement);
  }
};
using DwarfHandle = std::unique_ptr<Dwarf, DwarfCloser>;

// Null: the file has no debug information, or libdw cannot read it. The file must outlive it.
DwarfHandle OpenDwarf(const ElfFile& file);

// Whether the file has .debug_info. Without it a line table may still be there (clang's
// -gline-directives-only): then code has lines, but neither inlined functions nor compilers.
bool HasUnits(const ElfFile& file);

// DataLoss, with libdw's message.
absl::Status DamagedUnits(const ElfFile& file);

// Calls `visit` with the root of each unit of compiled code. `dwarf` is the file's handle.
// DataLoss: a unit is damaged.
absl::Status ForEachDwarfUnit(const ElfFile& file, Dwarf* dwarf,
                              absl::FunctionRef<void(Dwarf_Die*)> visit);

// Assigns each distinct file name of the line tables an index in SymbolTable::files.
class FileNames {
 public:
  // `dwarf` is the handle of the file with the tables, null if it has no debug information; it must
  // outlive this, and so must `files`. Names below their unit's compilation directory are relative
  // to that; `absolute`: that directory is prepended to relative names.
  FileNames(Dwarf* dwarf, std::vector<std::string>& files, bool absolute);

  // 0: the table has no such file.
  uint32_t IndexOf(const LineTable& table, uint64_t number);

 private:
  std::string NameOf(const LineTable& table, const LineFile& file) const;

  std::vector<std::string>& files_;
  const bool absolute_;
  absl::flat_hash_map<uint64_t, absl::string_view> directories_;  // by line table; libdw's
  absl::flat_hash_map<std::string, uint32_t> by_name_;
  absl::flat_hash_map<std::pair<uint64_t, uint64_t>, uint32_t> by_number_;  // table, number
  std::pair<uint64_t, uint64_t> last_ = {UINT64_MAX, 0};                    // last key
  uint32_t last_index_ = 0;
};

// The rows of the tables of .debug_line, DWARF 2 to 5: the line of each address.

struct LineTableRow {
  uint64_t address = 0;
  uint64_t file = 0;  // number in the table
  uint32_t line = 0;
  bool ends_sequence = false;
};

using VisitRow = absl::FunctionRef<void(const LineTable&, const LineTableRow&)>;

// Calls `visit` with every row of every table, in order. Errors and preconditions as
// ReadLineTables.
absl::Status ForEachLineRow(const ElfFile& file, VisitRow visit);

// Whether ForEachLineRow returns an error, without storing anything.
absl::Status CheckLineTables(const ElfFile& file);

}  // namespace gprofhub::profile
