// Shared by the readers of DWARF: its handle, its units, and the names of source files.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "profile/dwarf/line_table.h"
#include "profile/elf/file.h"

namespace gprofhub::profile {

struct DwarfCloser {
  void operator()(Dwarf* dwarf) const { dwarf_end(dwarf); }
};
using DwarfHandle = std::unique_ptr<Dwarf, DwarfCloser>;

// Null: the file has no debug information, or libdw cannot read it.
DwarfHandle OpenDwarf(const ElfFile& file);

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

}  // namespace gprofhub::profile
