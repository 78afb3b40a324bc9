// The tables of .debug_line, DWARF 2 to 5: whose files they name. Their rows: line_rows.h.
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

// Views are of the file's sections.
struct LineTable {
  uint64_t offset = 0;  // in .debug_line
  int version = 0;
  // By the numbers that a program and DW_AT_call_file have; from DWARF 5 on the first
  // directory is the one that the unit was compiled in, before that number 0 is it.
  std::vector<absl::string_view> directories;
  std::vector<LineFile> files;
  // Where in these lists a number leads; beyond their end, if nowhere.
  uint64_t Place(uint64_t number) const { return number - (version < 5 ? 1 : 0); }

  bool big_endian = false;
  uint8_t instruction_bytes = 1;  // that addresses are multiples of
  uint8_t most_operations = 1;    // in an instruction
  int8_t line_base = 0;
  uint8_t line_range = 1;
  uint8_t first_special = 1;            // opcode
  absl::string_view standard_operands;  // how many each standard opcode has
  absl::string_view program;
};

// Calls `visit` with every table, in their order. It returns what is damaged in the table's
// program, or null. libdw has opened the file, so that its sections are inflated.
// `keeps_names`: the tables have their directories and files. Without, nothing is kept.
//
// DataLoss: a table is damaged, or is no line table. Or the tables' files have, with their
// directories, more than 32 times as many bytes as the sections in which the names stand, and
// a megabyte more: many may name one long string. What compilers write is far below. The
// tables before have been visited.
absl::Status ReadLineTables(const ElfFile& file, bool keeps_names,
                            absl::FunctionRef<const char*(LineTable&)> visit);

// The same for who needs no rows, with names.
absl::Status ForEachLineTable(const ElfFile& file, absl::FunctionRef<void(const LineTable&)> visit);

}  // namespace gprofhub::profile
