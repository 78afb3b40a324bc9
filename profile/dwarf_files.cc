#include "profile/dwarf_files.h"

#include <dwarf.h>

#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"

namespace gprofhub {

absl::Status ForEachDwarfUnit(const ElfFile& file, absl::FunctionRef<void(Dwarf_Die*)> visit) {
  const std::unique_ptr<Dwarf, DwarfCloser> dwarf(
      dwarf_begin_elf(file.elf.get(), DWARF_C_READ, nullptr));
  if (dwarf == nullptr) return absl::OkStatus();
  Dwarf_CU* unit = nullptr;
  Dwarf_Die die;
  uint8_t kind = 0;
  int result = 0;
  while ((result = dwarf_get_units(dwarf.get(), unit, &unit, nullptr, &kind, &die, nullptr)) == 0) {
    if (kind == DW_UT_compile || kind == DW_UT_partial) visit(&die);
  }
  if (result >= 0) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrFormat("%s: .debug_info is damaged (%s): build it again, or without -g", file.path,
                      dwarf_errmsg(-1)));
}

FileNames::FileNames(std::vector<std::string>& files) : files_(files) {
  for (size_t i = 0; i < files.size(); ++i) by_name_.try_emplace(files[i], i);
}

void FileNames::BeginUnit(absl::string_view directory) {
  directory_ = std::string(directory);
  if (!directory_.empty() && directory_.back() != '/') directory_ += '/';
  by_pointer_.clear();
}

uint32_t FileNames::IndexOf(const char* name) {
  if (name == nullptr) return 0;
  auto [entry, added] = by_pointer_.try_emplace(name, 0);
  if (added) {
    const std::string relative(absl::StripPrefix(name, directory_));
    auto [row, is_new] = by_name_.try_emplace(relative, files_.size());
    if (is_new) files_.push_back(relative);
    entry->second = row->second;
  }
  return entry->second;
}

// libdw does not always say which unit a DWARF 5 line table is of; the table's own
// first directory is then the one.
std::string CompilationDirectory(Dwarf_CU* unit, Dwarf_Files* files) {
  if (unit == nullptr) {
    const char* const* directories = nullptr;
    size_t count = 0;
    const bool has_first =
        files != nullptr && dwarf_getsrcdirs(files, &directories, &count) == 0 && count > 0;
    return has_first && directories[0] != nullptr ? directories[0] : "";
  }
  Dwarf_Die die;
  Dwarf_Attribute attribute;
  if (dwarf_cu_die(unit, &die, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr) == nullptr) {
    return "";
  }
  const char* directory = dwarf_formstring(dwarf_attr(&die, DW_AT_comp_dir, &attribute));
  return directory == nullptr ? "" : directory;
}

}  // namespace gprofhub
