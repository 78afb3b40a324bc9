// What the readers of DWARF share: its handle, its units, and the names of source
// files.
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

// Null: the file has no debug information, or such as libdw cannot read.
DwarfHandle OpenDwarf(const ElfFile& file);

// DataLoss, with what libdw says.
absl::Status DamagedUnits(const ElfFile& file);

// Calls `visit` with the root of each unit of compiled code. `dwarf` is the file's handle.
// DataLoss: a unit is damaged.
absl::Status ForEachDwarfUnit(const ElfFile& file, Dwarf* dwarf,
                              absl::FunctionRef<void(Dwarf_Die*)> visit);

// Gives each distinct file name of the line tables an index in SymbolTable::files.
class FileNames {
 public:
  // `dwarf` is the handle of the file whose tables they are, null if it has no debug
  // information; it outlives this, and so does `files`.
  // Names are relative to the directory that their unit was compiled in where they lie
  // below it; `absolute`: that directory stands before names that are relative.
  FileNames(Dwarf* dwarf, std::vector<std::string>& files, bool absolute);

  // 0: the table has no such file.
  uint32_t IndexOf(const LineTable& table, uint64_t number);

 private:
  std::string NameOf(const LineTable& table, const LineFile& file) const;

  std::vector<std::string>& files_;
  const bool absolute_;
  absl::flat_hash_map<uint64_t, absl::string_view> directories_;  // of units, by tables; libdw's
  absl::flat_hash_map<std::string, uint32_t> by_name_;
  absl::flat_hash_map<std::pair<uint64_t, uint64_t>, uint32_t> by_number_;  // table, number
  std::pair<uint64_t, uint64_t> last_ = {UINT64_MAX, 0};                    // asked for
  uint32_t last_index_ = 0;
};

}  // namespace gprofhub::profile
