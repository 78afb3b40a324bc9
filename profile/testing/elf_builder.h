// Builds ELF files field by field: of both classes and byte orders, valid or not.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gprofhub::profile {

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

}  // namespace gprofhub::profile
