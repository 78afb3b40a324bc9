// Builds debug information entry by entry: DWARF 4 with 64-bit addresses, little-endian.
#pragma once

#include <dwarf.h>
#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gprofhub::profile {

// Builds ELF files field by field: of both classes and byte orders, valid or not.

// A section of the file.
struct BuiltSection {
  std::string name;
  uint32_t type = SHT_PROGBITS;
  uint64_t flags = 0;
  uint64_t address = 0;
  std::string bytes;
  uint32_t link = 0;     // a section's index
  uint64_t claimed = 0;  // its size in the header; 0: that of `bytes`
};

// A header, the sections' bytes, and the section headers. Section 0 is the empty one, and the last
// contains the names.
class ElfBuilder {
 public:
  explicit ElfBuilder(int elf_class = ELFCLASS64, int byte_order = ELFDATA2LSB,
                      uint16_t machine = EM_X86_64)
      : machine(machine), is_64_bit_(elf_class == ELFCLASS64), order_(byte_order) {}

  // Returns the section's index.
  uint32_t Add(BuiltSection section) {
    sections_.push_back(std::move(section));
    return static_cast<uint32_t>(sections_.size());
  }

  // A number of `size` bytes, in the file's order.
  std::string Number(uint64_t value, size_t size) const {
    std::string bytes(size, '\0');
    for (size_t i = 0; i < size; ++i) {
      bytes[order_ == ELFDATA2MSB ? size - 1 - i : i] = static_cast<char>(value >> (8 * i));
    }
    return bytes;
  }
  // A number with the width of an address.
  std::string Address(uint64_t value) const { return Number(value, is_64_bit_ ? 8 : 4); }

  // An entry of a symbol table.
  std::string Symbol(uint32_t name, uint64_t value, uint16_t section,
                     unsigned char info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC)) const {
    const std::string kind{static_cast<char>(info), '\0'};
    return is_64_bit_ ? Number(name, 4) + kind + Number(section, 2) + Number(value, 8) + Address(0)
                      : Number(name, 4) + Number(value, 4) + Address(0) + kind + Number(section, 2);
  }

  // A section of a build-id with these bytes.
  BuiltSection BuildId(const std::string& id) const {
    std::string note = Number(4, 4) + Number(id.size(), 4) + Number(NT_GNU_BUILD_ID, 4);
    note += std::string("GNU\0", 4) + id;
    note.resize((note.size() + 3) / 4 * 4);
    return {".note.gnu.build-id", SHT_NOTE, SHF_ALLOC, 0x100, note};
  }

  std::string Bytes() const {
    std::string content, headers = Header({}, 0, 0), names(1, '\0');
    const size_t begin = is_64_bit_ ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
    for (const BuiltSection& section : sections_) {
      headers += Header(section, names.size(), begin + content.size());
      names += section.name + '\0';
      content += section.bytes;
      content.resize((content.size() + 7) / 8 * 8);
    }
    const BuiltSection last{".shstrtab", SHT_STRTAB, 0, 0, names + std::string(".shstrtab\0", 10)};
    headers += Header(last, names.size(), begin + content.size());
    content += last.bytes;
    content.resize((content.size() + 7) / 8 * 8);
    return FileHeader(begin + content.size()) + content + headers;
  }

  uint16_t type = ET_EXEC;
  uint16_t machine;

 private:
  std::string FileHeader(uint64_t section_headers) const {
    std::string bytes(ELFMAG, SELFMAG);
    bytes += static_cast<char>(is_64_bit_ ? ELFCLASS64 : ELFCLASS32);
    bytes += static_cast<char>(order_);
    bytes += static_cast<char>(EV_CURRENT);
    bytes.resize(EI_NIDENT);
    bytes += Number(type, 2) + Number(machine, 2) + Number(EV_CURRENT, 4);
    bytes += Address(0) + Address(0) + Address(section_headers) + Number(0, 4);
    bytes += Number(is_64_bit_ ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr), 2);
    bytes += Number(0, 2) + Number(0, 2);
    bytes += Number(is_64_bit_ ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr), 2);
    return bytes + Number(sections_.size() + 2, 2) + Number(sections_.size() + 1, 2);
  }

  std::string Header(const BuiltSection& section, size_t name, size_t offset) const {
    if (offset == 0) return std::string(is_64_bit_ ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr), '\0');
    const bool has_symbols = section.type == SHT_SYMTAB || section.type == SHT_DYNSYM;
    const uint64_t size = section.claimed != 0 ? section.claimed : section.bytes.size();
    const size_t symbol = is_64_bit_ ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
    return Number(name, 4) + Number(section.type, 4) + Address(section.flags) +
           Address(section.address) + Address(offset) + Address(size) + Number(section.link, 4) +
           Number(0, 4) + Address(1) + Address(has_symbols ? symbol : 0);
  }

  const bool is_64_bit_;
  const int order_;
  std::vector<BuiltSection> sections_;
};

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
