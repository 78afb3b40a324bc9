// DWARF line programs and units, in an ELF file that is otherwise sound. Mutations of whole files
// (elf_symbols) seldom reach them.
//
// The input is the contents of .debug_line, .debug_info, .debug_abbrev, .debug_str and
// .debug_line_str. Each follows its size (two bytes, low byte first). Sections after the input's
// end are empty.

#include <elf.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "absl/strings/string_view.h"
#include "profile/image/read_image.h"

namespace {

constexpr uint64_t kTextAddress = 0x1000;
constexpr uint64_t kTextSize = 0x1000;

// Section names, each with the zero byte before it.
constexpr char kNames[] =
    "\0.text\0.symtab\0.strtab\0.shstrtab\0.debug_line\0.debug_info\0.debug_abbrev\0.debug_str"
    "\0.debug_line_str";
constexpr char kSymbolNames[] = "\0first\0second";

uint32_t NameOffset(absl::string_view name) {
  const absl::string_view names(kNames, sizeof kNames);
  const std::string whole = '\0' + std::string(name) + '\0';
  return static_cast<uint32_t>(names.find(whole) + 1);
}

template <typename Part>
void Append(std::string& bytes, const Part& part) {
  bytes.append(reinterpret_cast<const char*>(&part), sizeof part);
}

// An x86-64 program of two functions.
class Image {
 public:
  Image() { bytes_.resize(sizeof(Elf64_Ehdr)); }

  void AddSection(absl::string_view name, uint32_t type, absl::string_view contents,
                  uint32_t link = 0, uint64_t entry_size = 0) {
    Elf64_Shdr header{};
    header.sh_name = NameOffset(name);
    header.sh_type = type;
    header.sh_offset = bytes_.size();
    header.sh_size = contents.size();
    header.sh_link = link;
    header.sh_entsize = entry_size;
    header.sh_addralign = 1;
    if (name == ".text") {
      header.sh_flags = SHF_ALLOC | SHF_EXECINSTR;
      header.sh_addr = kTextAddress;
    }
    bytes_.append(contents.data(), contents.size());
    Append(headers_, header);
  }

  std::string Finish() {
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = ET_EXEC;
    header.e_machine = EM_X86_64;
    header.e_version = EV_CURRENT;
    header.e_ehsize = sizeof header;
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = static_cast<uint16_t>(headers_.size() / sizeof(Elf64_Shdr));
    header.e_shstrndx = 4;
    header.e_shoff = bytes_.size();
    std::memcpy(bytes_.data(), &header, sizeof header);
    return bytes_ + headers_;
  }

 private:
  std::string bytes_;
  std::string headers_ = std::string(sizeof(Elf64_Shdr), '\0');
};

std::string Symbols() {
  std::string table(sizeof(Elf64_Sym), '\0');
  for (const uint32_t function : {0u, 1u}) {
    Elf64_Sym symbol{};
    symbol.st_name = function == 0 ? 1 : 7;
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    symbol.st_shndx = 1;
    symbol.st_value = kTextAddress + function * (kTextSize / 2);
    symbol.st_size = kTextSize / 2;
    Append(table, symbol);
  }
  return table;
}

absl::string_view TakePart(absl::string_view& rest) {
  if (rest.size() < 2) return {};
  const size_t size = static_cast<unsigned char>(rest[0]) |
                      static_cast<size_t>(static_cast<unsigned char>(rest[1])) << 8;
  rest.remove_prefix(2);
  const absl::string_view part = rest.substr(0, size);
  rest.remove_prefix(part.size());
  return part;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  absl::string_view rest(reinterpret_cast<const char*>(data), size);
  Image image;
  image.AddSection(".text", SHT_PROGBITS, std::string(kTextSize, '\x90'));
  image.AddSection(".symtab", SHT_SYMTAB, Symbols(), 3, sizeof(Elf64_Sym));
  image.AddSection(".strtab", SHT_STRTAB, {kSymbolNames, sizeof kSymbolNames});
  image.AddSection(".shstrtab", SHT_STRTAB, {kNames, sizeof kNames});
  for (const char* name :
       {".debug_line", ".debug_info", ".debug_abbrev", ".debug_str", ".debug_line_str"}) {
    image.AddSection(name, SHT_PROGBITS, TakePart(rest));
  }
  gprofhub::profile::ElfReadOptions options;
  options.with_scopes = true;
  options.with_call_lines = true;
  options.with_toolchains = true;
  const auto symbols = gprofhub::profile::ReadElfSymbolsFromBytes(image.Finish(), "input", options);
  if (!symbols.ok()) return 0;
  if (symbols->functions.size() != 2) std::abort();
  for (size_t i = 0; i < symbols->lines.size(); ++i) {
    const gprofhub::profile::LineRow& row = symbols->lines[i];
    if (row.file >= symbols->files.size()) std::abort();
    if (i > 0 && row.address < symbols->lines[i - 1].address) std::abort();
  }
  for (const gprofhub::profile::FunctionSymbol& function : symbols->functions) {
    if (function.toolchain >= symbols->toolchains.size()) std::abort();
  }
  for (const std::string& toolchain : symbols->toolchains) {
    if (toolchain.size() > 300) std::abort();
  }
  for (const gprofhub::profile::LineRow& row : symbols->call_lines) {
    if (row.file >= symbols->files.size()) std::abort();
  }
  for (const gprofhub::profile::CodeScope& scope : symbols->scopes) {
    if (scope.name >= symbols->scope_names.size()) std::abort();
  }
  return 0;
}
