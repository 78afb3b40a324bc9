#include "profile/elf/opd_symbols.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"

namespace gprofhub::profile {
namespace {

constexpr char kSectionName[] = ".opd";

bool IsStrong(const FunctionSymbol& symbol) { return !symbol.is_local && !symbol.is_weak; }

}  // namespace

absl::StatusOr<DescriptorSection> FindDescriptors(const ElfFile& file) {
  if (file.header.e_machine != EM_PPC64 || file.header.e_ident[EI_CLASS] != ELFCLASS64) {
    return DescriptorSection();
  }
  const auto section =
      std::find_if(file.sections.begin(), file.sections.end(), [](const ElfSection& each) {
        return each.name == kSectionName && each.header.sh_type == SHT_PROGBITS;
      });
  if (section == file.sections.end()) return DescriptorSection();
  const absl::StatusOr<Elf_Data*> data = ReadSection(file, *section);
  if (!data.ok()) return data.status();
  return DescriptorSection{static_cast<size_t>(section - file.sections.begin()),
                           section->header.sh_addr, *data};
}

std::optional<uint64_t> CodeOf(const ElfFile& file, const DescriptorSection& section,
                               uint64_t descriptor) {
  uint64_t code = 0;
  if (section.data == nullptr) return std::nullopt;
  const Elf_Data& data = *section.data;
  const uint64_t offset = descriptor - section.address;
  if (data.d_buf == nullptr || data.d_size < sizeof code || offset > data.d_size - sizeof code) {
    return std::nullopt;
  }
  std::memcpy(&code, static_cast<const char*>(data.d_buf) + offset, sizeof code);
  if (file.header.e_ident[EI_DATA] == ELFDATA2MSB) code = __builtin_bswap64(code);
  const auto is_there = [code](const ElfSection& other) {
    return (other.header.sh_flags & SHF_EXECINSTR) != 0 && code >= other.header.sh_addr &&
           code - other.header.sh_addr < other.header.sh_size;
  };
  if (std::none_of(file.sections.begin(), file.sections.end(), is_there)) return std::nullopt;
  return code;
}

void AddDescribedFunctions(const ElfFile& file, const DescriptorSection& section,
                           std::vector<FunctionSymbol> described, uint32_t table_index,
                           SymbolTable& symbols) {
  absl::flat_hash_set<uint64_t> named;
  for (const FunctionSymbol& symbol : symbols.functions) named.insert(symbol.address);
  std::stable_sort(
      described.begin(), described.end(), [](const FunctionSymbol& a, const FunctionSymbol& b) {
        return std::tuple(a.address, !IsStrong(a)) < std::tuple(b.address, !IsStrong(b));
      });
  for (size_t i = 0; i < described.size(); ++i) {
    if (i > 0 && described[i].address == described[i - 1].address) continue;
    const std::optional<uint64_t> code = CodeOf(file, section, described[i].address);
    if (!code || named.contains(*code)) continue;
    FunctionSymbol function = described[i];
    function.address = *code;
    function.table_index = table_index++;
    function.name = absl::StrCat(".", function.name);
    symbols.functions.push_back(std::move(function));
  }
}

}  // namespace gprofhub::profile
