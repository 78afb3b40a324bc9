#include "profile/elf/symbol_classes.h"

#include <algorithm>
#include <memory>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "profile/elf/file.h"

namespace gprofhub::profile {
namespace {

char ClassOfSection(const ElfSection& section) {
  const GElf_Xword flags = section.header.sh_flags;
  if ((flags & SHF_EXECINSTR) != 0) return 't';
  if ((flags & SHF_ALLOC) == 0) return absl::StartsWith(section.name, ".debug") ? 'N' : 'n';
  if (section.header.sh_type == SHT_NOBITS) return 'b';
  return (flags & SHF_WRITE) != 0 ? 'd' : 'r';
}

char ClassOf(const ElfFile& file, const GElf_Sym& symbol) {
  const int type = GELF_ST_TYPE(symbol.st_info);
  const int binding = GELF_ST_BIND(symbol.st_info);
  const bool is_defined = symbol.st_shndx != SHN_UNDEF;
  if (type == STT_FILE || type == STT_SECTION) return 0;
  if (symbol.st_shndx == SHN_COMMON) return 'C';
  if (binding == STB_WEAK && type != STT_GNU_IFUNC) {
    const char letter = type == STT_OBJECT ? 'v' : 'w';
    return is_defined ? absl::ascii_toupper(letter) : letter;
  }
  if (!is_defined) return 'U';
  if (type == STT_GNU_IFUNC) return 'i';
  if (binding == STB_GNU_UNIQUE) return 'u';
  const char letter =
      symbol.st_shndx < file.sections.size() ? ClassOfSection(file.sections[symbol.st_shndx]) : 'a';
  return binding == STB_LOCAL ? letter : absl::ascii_toupper(letter);
}

ClassedSymbol Classed(const ElfFile& file, const GElf_Sym& symbol, absl::string_view name) {
  const bool in_section = symbol.st_shndx != SHN_UNDEF && symbol.st_shndx < file.sections.size();
  const ElfSection* section = in_section ? &file.sections[symbol.st_shndx] : nullptr;
  const int type = GELF_ST_TYPE(symbol.st_info);
  ClassedSymbol entry;
  entry.name = std::string(type == STT_SECTION && section != nullptr ? section->name : name);
  entry.address = symbol.st_value;
  entry.offset = section != nullptr ? symbol.st_value - section->header.sh_addr : symbol.st_value;
  entry.symbol_class = ClassOf(file, symbol);
  entry.is_local = GELF_ST_BIND(symbol.st_info) == STB_LOCAL;
  entry.is_file = type == STT_FILE;
  entry.in_text = section != nullptr && section->name == ".text";
  entry.is_object = type == STT_OBJECT;
  return entry;
}

}  // namespace

absl::StatusOr<ClassedSymbols> ReadClassedSymbols(const std::string& path) {
  const absl::StatusOr<std::unique_ptr<ElfFile>> file = OpenElfFile(path);
  if (!file.ok()) return file.status();
  const std::vector<ElfSection>& sections = (*file)->sections;
  ClassedSymbols classed;
  const auto text = std::find_if(sections.begin(), sections.end(),
                                 [](const ElfSection& each) { return each.name == ".text"; });
  if (text != sections.end()) {
    classed.text_address = text->header.sh_addr;
    classed.text_size = text->header.sh_size;
  }
  for (const GElf_Word type : {SHT_SYMTAB, SHT_DYNSYM}) {
    const auto table = std::find_if(sections.begin(), sections.end(), [&](const ElfSection& each) {
      return each.header.sh_type == type;
    });
    if (table == sections.end()) continue;
    const absl::Status status = ForEachSymbol(
        **file, *table, [&](uint32_t index, const GElf_Sym& symbol, absl::string_view name) {
          if (index > 0) classed.symbols.push_back(Classed(**file, symbol, name));
        });
    if (!status.ok()) return status;
    break;
  }
  return classed;
}

}  // namespace gprofhub::profile
