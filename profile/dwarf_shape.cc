// Two things in libdw take more than linear time.
//
// Each unit reads the abbreviations of its own table, as far as it looks for one,
// and keeps them. Compilers give a unit a table of its own, dwz lets units share
// small ones; but thousands of units may name one huge table. So the bytes that
// all units' tables have are added up, shared ones for each unit.
//
// For each line table of DWARF 4 and before, libdw looks for the unit that names it,
// from the unit of the table before on, and around. In what linkers write, units and
// tables are in the same order; but tables may be in the opposite one, or of no unit
// at all. So where there are many of both, the same search is done here on two lists,
// and its steps added up.

#include "profile/dwarf_shape.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "profile/dwarf_files.h"

namespace gprofhub {
namespace {

constexpr uint64_t kAbbreviationBytesForEachByte = 8;
constexpr uint64_t kUnsuspiciousAbbreviationBytes = uint64_t{1} << 20;
constexpr uint64_t kStepsForEachByte = 4;
constexpr uint64_t kUnsuspiciousSteps = 4'000'000;

// Of the section, inflated since libdw has opened the file; empty without one.
absl::string_view ContentOf(const ElfFile& file, absl::string_view name) {
  for (const ElfSection& section : file.sections) {
    const absl::string_view found = section.name;
    const bool is_old = !found.empty() && found.substr(0, 2) == ".z" && found.substr(2) == name;
    if (!is_old && (found.empty() || found.substr(1) != name)) continue;
    const Elf_Data* data = elf_rawdata(section.handle, nullptr);
    if (data == nullptr || data->d_buf == nullptr) return {};
    return absl::string_view(static_cast<const char*>(data->d_buf), data->d_size);
  }
  return {};
}

// Takes a number of DWARF's variable length; false at the end of the bytes.
bool TakeNumber(absl::string_view& bytes, uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    if (shift < 64) value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return true;
  }
  return false;
}

// The bytes of an abbreviation table up to its end; about `most` at most.
uint64_t TableBytes(absl::string_view table, uint64_t most) {
  const size_t size = table.size();
  uint64_t code = 0;
  uint64_t tag = 0;
  while (size - table.size() < most && TakeNumber(table, code) && code != 0) {
    if (!TakeNumber(table, tag) || table.empty()) break;
    table.remove_prefix(1);  // has children
    uint64_t name = 0;
    uint64_t form = 0;
    uint64_t constant = 0;
    while (TakeNumber(table, name) && TakeNumber(table, form) && (name != 0 || form != 0)) {
      if (form == DW_FORM_implicit_const) TakeNumber(table, constant);
    }
  }
  return size - table.size();
}

struct Units {
  uint64_t count = 0;
  uint64_t abbreviation_bytes = 0;  // of the tables of all
};

// As far as they have about `most` bytes of abbreviations.
Units CountUnits(Dwarf* dwarf, absl::string_view abbreviations, uint64_t most) {
  Units units;
  for (const bool in_types : {false, true}) {
    uint64_t signature = 0;
    Dwarf_Off type = 0;
    Dwarf_Off next = 0;
    size_t header = 0;
    Dwarf_Off table = 0;
    for (Dwarf_Off at = 0;
         units.abbreviation_bytes <= most &&
         dwarf_next_unit(dwarf, at, &next, &header, nullptr, &table, nullptr, nullptr,
                         in_types ? &signature : nullptr, in_types ? &type : nullptr) == 0;
         at = next) {
      ++units.count;
      if (table >= abbreviations.size()) continue;
      units.abbreviation_bytes +=
          TableBytes(abbreviations.substr(table), most - units.abbreviation_bytes + 1);
    }
  }
  return units;
}

// Which line table each unit names, by unit; kNone: none.
constexpr uint64_t kNone = UINT64_MAX;
std::vector<uint64_t> TablesOfUnits(Dwarf* dwarf) {
  std::vector<uint64_t> tables;
  Dwarf_CU* unit = nullptr;
  Dwarf_Die die;
  uint8_t kind = 0;
  while (dwarf_get_units(dwarf, unit, &unit, nullptr, &kind, &die, nullptr) == 0) {
    Dwarf_Attribute attribute;
    Dwarf_Word table = kNone;
    if (dwarf_formudata(dwarf_attr(&die, DW_AT_stmt_list, &attribute), &table) != 0) table = kNone;
    tables.push_back(table);
  }
  return tables;
}

// Where the tables of .debug_line begin, as far as their lengths lead.
std::vector<uint64_t> LineTables(absl::string_view lines, bool big_endian) {
  std::vector<uint64_t> tables;
  const auto number = [&](size_t at, size_t size) {
    uint64_t value = 0;
    for (size_t i = 0; i < size; ++i) {
      const size_t digit = big_endian ? at + i : at + size - 1 - i;
      value = value << 8 | static_cast<unsigned char>(lines[digit]);
    }
    return value;
  };
  for (size_t at = 0; lines.size() - at >= 4;) {
    tables.push_back(at);
    uint64_t length = number(at, 4);
    size_t header = 4;
    if (length == 0xffffffff) {
      if (lines.size() - at < 12) break;
      length = number(at + 4, 8);
      header = 12;
    }
    if (length > lines.size() - at - header) break;
    at += header + length;
  }
  return tables;
}

// How many units libdw looks at to find those of all line tables, up to about `most`.
uint64_t StepsToUnits(const std::vector<uint64_t>& of_units, const std::vector<uint64_t>& tables,
                      uint64_t most) {
  absl::flat_hash_map<uint64_t, size_t> unit_of;
  for (size_t unit = 0; unit < of_units.size(); ++unit) unit_of.try_emplace(of_units[unit], unit);
  uint64_t steps = 0;
  size_t last = 0;
  for (size_t i = 0; i < tables.size() && steps <= most; ++i) {
    const auto found = unit_of.find(tables[i]);
    if (found == unit_of.end()) {
      steps += of_units.size();
      continue;
    }
    const size_t unit = found->second;
    steps += unit >= last ? unit - last : of_units.size() - last + unit;
    last = unit;
  }
  return steps;
}

}  // namespace

absl::Status CheckDwarfShape(const ElfFile& file) {
  const std::unique_ptr<Dwarf, DwarfCloser> dwarf(
      dwarf_begin_elf(file.elf.get(), DWARF_C_READ, nullptr));
  if (dwarf == nullptr) return absl::OkStatus();  // its readers say so
  const absl::string_view information = ContentOf(file, "debug_info");
  const absl::string_view types = ContentOf(file, "debug_types");
  const absl::string_view abbreviations = ContentOf(file, "debug_abbrev");
  const absl::string_view lines = ContentOf(file, "debug_line");
  const uint64_t units_bytes = information.size() + types.size();
  const uint64_t most_bytes = kAbbreviationBytesForEachByte * (units_bytes + abbreviations.size()) +
                              kUnsuspiciousAbbreviationBytes;
  const Units units = CountUnits(dwarf.get(), abbreviations, most_bytes);
  if (units.abbreviation_bytes > most_bytes) {
    return absl::DataLossError(absl::StrFormat(
        "%s: the units of .debug_info name more than %d bytes of .debug_abbrev, which has %d: the "
        "file is damaged; build it again, or without -g",
        file.path, most_bytes, abbreviations.size()));
  }
  const uint64_t most_steps = kStepsForEachByte * (units_bytes + lines.size()) + kUnsuspiciousSteps;
  const std::vector<uint64_t> tables =
      LineTables(lines, file.header.e_ident[EI_DATA] == ELFDATA2MSB);
  // Even if each table is looked for among all units?
  if (units.count <= most_steps / std::max<uint64_t>(1, tables.size())) return absl::OkStatus();
  if (StepsToUnits(TablesOfUnits(dwarf.get()), tables, most_steps) > most_steps) {
    return absl::DataLossError(absl::StrFormat(
        "%s: the %d tables of .debug_line are of no unit of .debug_info, or in no order: the file "
        "is damaged; build it again, or without -g",
        file.path, tables.size()));
  }
  return absl::OkStatus();
}

}  // namespace gprofhub
