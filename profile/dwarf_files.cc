#include "profile/dwarf_files.h"

#include <dwarf.h>

#include "absl/strings/strip.h"

namespace gprofhub {

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
