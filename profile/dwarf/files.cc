#include "profile/dwarf/files.h"

#include <dwarf.h>
#include <limits.h>
#include <string.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"

namespace gprofhub::profile {
namespace {

// The compilation directories of units, by the offset of their line tables.
absl::flat_hash_map<uint64_t, absl::string_view> DirectoriesOfUnits(Dwarf* dwarf) {
  absl::flat_hash_map<uint64_t, absl::string_view> directories;
  Dwarf_CU* unit = nullptr;
  Dwarf_Die die;
  while (dwarf_get_units(dwarf, unit, &unit, nullptr, nullptr, &die, nullptr) == 0) {
    Dwarf_Attribute attribute;
    Dwarf_Word table = 0;
    if (dwarf_formudata(dwarf_attr(&die, DW_AT_stmt_list, &attribute), &table) != 0) continue;
    const char* name = dwarf_formstring(dwarf_attr(&die, DW_AT_comp_dir, &attribute));
    if (name == nullptr) continue;
    const size_t size = strnlen(name, PATH_MAX);
    if (size < PATH_MAX) directories.try_emplace(table, name, size);
  }
  return directories;
}

}  // namespace

DwarfHandle OpenDwarf(const ElfFile& file) {
  return DwarfHandle(dwarf_begin_elf(file.elf.get(), DWARF_C_READ, nullptr));
}

absl::Status DamagedUnits(const ElfFile& file) {
  return absl::DataLossError(
      absl::StrFormat("%s: .debug_info is damaged (%s): build it again, or without -g", file.path,
                      dwarf_errmsg(-1)));
}

absl::Status ForEachDwarfUnit(const ElfFile& file, Dwarf* dwarf,
                              absl::FunctionRef<void(Dwarf_Die*)> visit) {
  Dwarf_CU* unit = nullptr;
  Dwarf_Die die;
  uint8_t kind = 0;
  int result = 0;
  while ((result = dwarf_get_units(dwarf, unit, &unit, nullptr, &kind, &die, nullptr)) == 0) {
    if (kind == DW_UT_compile || kind == DW_UT_partial) visit(&die);
  }
  return result >= 0 ? absl::OkStatus() : DamagedUnits(file);
}

FileNames::FileNames(Dwarf* dwarf, std::vector<std::string>& files, bool absolute)
    : files_(files), absolute_(absolute) {
  if (dwarf != nullptr) directories_ = DirectoriesOfUnits(dwarf);
  for (size_t i = 0; i < files.size(); ++i) by_name_.try_emplace(files[i], i);
}

std::string FileNames::NameOf(const LineTable& table, const LineFile& file) const {
  const auto unit = directories_.find(table.offset);
  std::string base;
  if (unit != directories_.end()) base = std::string(unit->second);
  // A prefix map (-ffile-prefix-map=$PWD=) may leave the unit none.
  if (base.empty() && table.version >= 5 && !table.directories.empty()) {
    base = std::string(table.directories[0]);
  }
  if (!base.empty() && base.back() != '/') base += '/';

  const uint64_t place = table.Place(file.directory);
  std::string name(file.name);
  if (place < table.directories.size() && !table.directories[place].empty() &&
      !absl::StartsWith(name, "/")) {
    name = absl::StrCat(table.directories[place], "/", name);
  }
  if (!absolute_) return std::string(absl::StripPrefix(name, base));
  return absl::StartsWith(name, "/") ? name : base + name;
}

uint32_t FileNames::IndexOf(const LineTable& table, uint64_t number) {
  const std::pair<uint64_t, uint64_t> asked(table.offset, number);
  if (asked == last_) return last_index_;
  last_ = asked;
  last_index_ = 0;
  const uint64_t place = table.Place(number);
  if (place >= table.files.size()) return 0;
  auto [entry, added] = by_number_.try_emplace(asked, 0);
  if (added) {
    auto [row, is_new] = by_name_.try_emplace(NameOf(table, table.files[place]), files_.size());
    if (is_new) files_.push_back(row->first);
    entry->second = row->second;
  }
  return last_index_ = entry->second;
}

}  // namespace gprofhub::profile
