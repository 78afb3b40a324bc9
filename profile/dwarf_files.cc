#include "profile/dwarf_files.h"

#include <dwarf.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
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

void FileNames::Begin(absl::string_view directory) {
  directory_ = std::string(directory);
  if (!directory_.empty() && directory_.back() != '/') directory_ += '/';
  by_pointer_.clear();
}

void FileNames::BeginUnit(absl::string_view directory) {
  Begin(directory);
  is_absolute_ = false;
}

void FileNames::BeginAbsoluteUnit(absl::string_view directory, bool may_have_it) {
  Begin(directory);
  is_absolute_ = true;
  may_have_it_ = may_have_it;
}

std::string FileNames::Named(absl::string_view name) const {
  if (!is_absolute_) return std::string(absl::StripPrefix(name, directory_));
  if (absl::StartsWith(name, "/")) return std::string(name);
  if (may_have_it_ && absl::StartsWith(name, directory_)) return std::string(name);
  return absl::StrCat(directory_, name);
}

uint32_t FileNames::IndexOf(const char* name) {
  if (name == nullptr) return 0;
  auto [entry, added] = by_pointer_.try_emplace(name, 0);
  if (added) {
    const std::string named = Named(name);
    auto [row, is_new] = by_name_.try_emplace(named, files_.size());
    if (is_new) files_.push_back(named);
    entry->second = row->second;
  }
  return entry->second;
}

bool JoinsDirectory(Dwarf_CU* unit) {
  Dwarf_Half version = 0;
  return unit != nullptr &&
         dwarf_cu_info(unit, &version, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr) == 0 &&
         version < 5;
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
