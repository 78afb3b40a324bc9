// Builds debug information entry by entry: DWARF 4 with 64-bit addresses, little-endian.
#pragma once

#include <dwarf.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "profile/testing/elf_builder.h"

namespace gprofhub::profile {

inline std::string LittleEndian(uint64_t value, size_t size) {
  return ElfBuilder().Number(value, size);
}

inline std::string Leb128(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}

inline std::string SignedLeb128(int64_t value) {
  std::string bytes;
  for (; value < -64 || value > 63; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value & 0x7f);
}

struct DwarfAttribute {
  uint64_t name;
  uint64_t form;
  std::string bytes;
};

inline DwarfAttribute Text(uint64_t name, const std::string& text) {
  return {name, DW_FORM_string, text + '\0'};
}
inline DwarfAttribute Number(uint64_t name, uint64_t value) {
  return {name, DW_FORM_data8, LittleEndian(value, 8)};
}
inline DwarfAttribute Address(uint64_t name, uint64_t value) {
  return {name, DW_FORM_addr, LittleEndian(value, 8)};
}
inline DwarfAttribute Offset(uint64_t name, uint64_t value) {
  return {name, DW_FORM_sec_offset, LittleEndian(value, 4)};
}
inline DwarfAttribute Reference(uint64_t name, uint64_t entry) {
  return {name, DW_FORM_ref4, LittleEndian(entry, 4)};
}

// The attributes of code at [low, high), before `more`.
inline std::vector<DwarfAttribute> Code(uint64_t low, uint64_t high,
                                        std::vector<DwarfAttribute> more = {}) {
  more.insert(more.begin(), {Address(DW_AT_low_pc, low), Number(DW_AT_high_pc, high - low)});
  return more;
}

// Units, and an abbreviation for each of their entries. All units use one table.
class DwarfBuilder {
 public:
  void BeginUnit(const std::vector<DwarfAttribute>& attributes = {}) {
    Begin(DW_TAG_compile_unit, attributes);
  }
  void EndUnit() {
    End();
    const std::string head = LittleEndian(4, 2) + LittleEndian(0, 4) + "\x08";
    info_ += LittleEndian(head.size() + unit_.size(), 4) + head + unit_;
    unit_.clear();
  }

  // An entry with others below it, up to End(). Returns the offset of the entry in the unit, for
  // references.
  uint64_t Begin(uint64_t tag, const std::vector<DwarfAttribute>& attributes = {}) {
    return Add(tag, true, attributes);
  }
  void End() { unit_ += '\0'; }
  // An entry without others below it.
  uint64_t Leaf(uint64_t tag, const std::vector<DwarfAttribute>& attributes = {}) {
    return Add(tag, false, attributes);
  }

  uint64_t Here() const { return kUnitHeaderBytes + unit_.size(); }

  std::string Info() const { return info_; }
  std::string Abbreviations() const { return abbreviations_ + '\0'; }

  void AddTo(ElfBuilder& elf) const {
    elf.Add({".debug_info", SHT_PROGBITS, 0, 0, Info()});
    elf.Add({".debug_abbrev", SHT_PROGBITS, 0, 0, Abbreviations()});
  }

 private:
  static constexpr size_t kUnitHeaderBytes = 11;

  uint64_t Add(uint64_t tag, bool has_children, const std::vector<DwarfAttribute>& attributes) {
    const uint64_t place = Here();
    const std::string code = Leb128(++codes_);
    abbreviations_ += code + Leb128(tag) + static_cast<char>(has_children);
    unit_ += code;
    for (const DwarfAttribute& attribute : attributes) {
      abbreviations_ += Leb128(attribute.name) + Leb128(attribute.form);
      unit_ += attribute.bytes;
    }
    abbreviations_ += std::string(2, '\0');
    return place;
  }

  uint64_t codes_ = 0;
  std::string abbreviations_, info_;
  std::string unit_;  // the entries of the current unit
};

// A table of .debug_line with these files, all in the first directory. Opcodes from 13 on are
// special; lines go from -3 to 8 at most.
inline std::string BuiltLineTable(const std::string& program,
                                  const std::vector<std::string>& files = {"a.c", "b.c"},
                                  const std::string& folder = "src") {
  std::string header("\x01\x01\x01\xfd\x0c\x0d\0\x01\x01\x01\x01\0\0\0\x01\0\0\x01", 18);
  header += folder + '\0' + '\0';
  for (const std::string& file : files) header += file + std::string("\0\x01\0\0", 4);
  header += '\0';
  const std::string table = LittleEndian(4, 2) + LittleEndian(header.size(), 4) + header + program;
  return LittleEndian(table.size(), 4) + table;
}

// Instructions of a line program.
inline std::string LineRowsAt(uint64_t address) {
  return std::string("\0\x09\x02", 3) + LittleEndian(address, 8);
}
inline std::string LineRowsAdvance(uint64_t bytes) { return "\x02" + Leb128(bytes); }
// A row. Its line is that of the row before (the first: 1) plus `more`.
inline std::string LineRowOf(uint64_t file, int64_t more) {
  return "\x04" + Leb128(file) + "\x03" + SignedLeb128(more) + "\x01";
}
inline std::string LineRowsEnd() { return std::string("\0\x01\x01", 3); }

}  // namespace gprofhub::profile
