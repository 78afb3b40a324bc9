// The headers of .debug_line's tables, DWARF 2 to 5, with their file names. Their rows:
// line_rows.h.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "profile/elf/file.h"

namespace gprofhub::profile {

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
// libdw must have opened the file, so that its sections are inflated. `keeps_names`: the tables
// have their directories and files. Otherwise nothing is stored.
//
// DataLoss: a table is damaged or not a line table. Or the names of the tables' files, with their
// directories, have more than 32 times as many bytes as the sections that contain them, plus a
// megabyte: many entries may refer to one long string. Compilers' output is far below. The
// preceding tables have been visited.
absl::Status ReadLineTables(const ElfFile& file, bool keeps_names,
                            absl::FunctionRef<const char*(LineTable&)> visit);

// As above, for callers that need names but no rows.
absl::Status ForEachLineTable(const ElfFile& file, absl::FunctionRef<void(const LineTable&)> visit);

}  // namespace gprofhub::profile
