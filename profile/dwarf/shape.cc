// Each unit reads the abbreviations of its own table up to the one that it needs, and caches them.
// Compilers give each unit a separate table, dwz lets units share small ones; but thousands of
// units may refer to one huge table. So the sizes of all units' tables are added up, shared ones
// once per unit.

#include "profile/dwarf/shape.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <cstdint>

#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "profile/dwarf/cursor.h"
#include "profile/dwarf/files.h"
#include "profile/dwarf/lines.h"

namespace gprofhub::profile {
namespace {

constexpr uint64_t kAbbreviationBytesForEachByte = 8;
constexpr uint64_t kUnsuspiciousAbbreviationBytes = uint64_t{1} << 20;

// The size of an abbreviation table in bytes; stops at about `most`.
uint64_t TableBytes(absl::string_view table, uint64_t most) {
  DwarfCursor cursor(table, false);
  const auto taken = [&] { return table.size() - cursor.rest().size(); };
  while (taken() < most && cursor.Unsigned() != 0) {  // its code
    cursor.Unsigned();                                // tag
    cursor.Number(1);                                 // whether it has children
    uint64_t name = 0;
    uint64_t form = 0;
    do {
      name = cursor.Unsigned();
      form = cursor.Unsigned();
      if (form == DW_FORM_implicit_const) cursor.Signed();
    } while (name != 0 || form != 0);
  }
  return taken();
}

// Reads the headers of all units, until their tables have about `most` bytes of abbreviations in
// total, which is added to `bytes`. False: a unit is damaged.
bool ReadUnits(Dwarf* dwarf, absl::string_view abbreviations, uint64_t most, uint64_t& bytes) {
  for (const bool in_types : {false, true}) {
    uint64_t signature = 0;
    Dwarf_Off type = 0;
    Dwarf_Off next = 0;
    size_t header = 0;
    Dwarf_Off table = 0;
    int result = 0;
    for (Dwarf_Off at = 0; bytes <= most && result == 0; at = next) {
      result = dwarf_next_unit(dwarf, at, &next, &header, nullptr, &table, nullptr, nullptr,
                               in_types ? &signature : nullptr, in_types ? &type : nullptr);
      if (result < 0) return false;
      if (result == 0 && table < abbreviations.size()) {
        bytes += TableBytes(abbreviations.substr(table), most - bytes + 1);
      }
    }
  }
  return true;
}

}  // namespace

absl::Status CheckDwarfShape(const ElfFile& file, bool needs_all_units) {
  const DwarfHandle dwarf = OpenDwarf(file);
  if (dwarf == nullptr) return HasLines(file) ? DamagedUnits(file) : absl::OkStatus();
  const absl::string_view abbreviations = DebugSection(file, "debug_abbrev");
  const uint64_t units_bytes =
      DebugSection(file, "debug_info").size() + DebugSection(file, "debug_types").size();
  const uint64_t most_bytes = kAbbreviationBytesForEachByte * (units_bytes + abbreviations.size()) +
                              kUnsuspiciousAbbreviationBytes;
  uint64_t bytes = 0;
  const bool are_sound = ReadUnits(dwarf.get(), abbreviations, most_bytes, bytes);
  if (!are_sound && needs_all_units) return DamagedUnits(file);
  if (bytes <= most_bytes) return absl::OkStatus();
  return absl::DataLossError(absl::StrFormat(
      "%s: the units of .debug_info name more than %d bytes of .debug_abbrev, which has %d: the "
      "file is damaged; build it again, or without -g",
      file.path, most_bytes, abbreviations.size()));
}

}  // namespace gprofhub::profile
