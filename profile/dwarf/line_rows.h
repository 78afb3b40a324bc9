// The rows of the tables of .debug_line, DWARF 2 to 5: the line of each address.
#pragma once

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "profile/dwarf/line_table.h"
#include "profile/elf/file.h"

namespace gprofhub::profile {

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
