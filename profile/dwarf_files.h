// What the readers of DWARF share: its handle, its units, and the names of source
// files.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "profile/elf_file.h"

namespace gprofhub {

struct DwarfCloser {
  void operator()(Dwarf* dwarf) const { dwarf_end(dwarf); }
};

// Calls `visit` with the root of each unit of compiled code; with none where the file has
// no debug information. DATA_LOSS where that is damaged.
absl::Status ForEachDwarfUnit(const ElfFile& file, absl::FunctionRef<void(Dwarf_Die*)> visit);

// Gives each distinct file name an index in SymbolTable::files.
class FileNames {
 public:
  explicit FileNames(std::vector<std::string>& files);

  // For the names of one unit, compiled in `directory`: relative to it where they lie
  // below it.
  void BeginUnit(absl::string_view directory);
  // The same, with the directory before names that are relative. `may_have_it`: libdw may
  // have put it there.
  void BeginAbsoluteUnit(absl::string_view directory, bool may_have_it);

  // `name` is libdw's string of the unit, compared by address first. Null: 0.
  uint32_t IndexOf(const char* name);

 private:
  void Begin(absl::string_view directory);
  // As the unit's names are to be.
  std::string Named(absl::string_view name) const;

  std::vector<std::string>& files_;
  absl::flat_hash_map<std::string, uint32_t> by_name_;
  absl::flat_hash_map<const char*, uint32_t> by_pointer_;
  std::string directory_;  // with a slash, or empty
  bool is_absolute_ = false;
  bool may_have_it_ = false;
};

// Whether libdw puts the directory of `unit`, which may be null, before the names of
// files in it: not those of DWARF 5, whose tables have it themselves.
bool JoinsDirectory(Dwarf_CU* unit);

// The directory that a unit was compiled in; empty where nothing says.
std::string CompilationDirectory(Dwarf_CU* unit, Dwarf_Files* files);

}  // namespace gprofhub
