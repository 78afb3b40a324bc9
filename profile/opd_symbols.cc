#include "profile/opd_symbols.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace gprofhub {
namespace {

constexpr char kSectionName[] = ".opd";

// The address of the code, with which a descriptor begins.
std::optional<uint64_t> CodeOf(const ElfFile& file, const ElfSection& section, const Elf_Data& data,
                               uint64_t descriptor) {
  uint64_t code = 0;
  const uint64_t offset = descriptor - section.header.sh_addr;
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

bool IsStrong(const FunctionSymbol& symbol) { return !symbol.is_local && !symbol.is_weak; }

}  // namespace

size_t DescriptorSection(const ElfFile& file) {
  if (file.header.e_machine != EM_PPC64 || file.header.e_ident[EI_CLASS] != ELFCLASS64) return 0;
  const auto section =
      std::find_if(file.sections.begin(), file.sections.end(), [](const ElfSection& each) {
        return each.name == kSectionName && each.header.sh_type == SHT_PROGBITS;
      });
  return section == file.sections.end() ? 0 : static_cast<size_t>(section - file.sections.begin());
}

absl::Status AddDescribedFunctions(const ElfFile& file, size_t section,
                                   std::vector<FunctionSymbol> described, uint32_t table_index,
                                   SymbolTable& symbols) {
  const ElfSection& descriptors = file.sections[section];
  const Elf_Data* data = elf_rawdata(descriptors.handle, nullptr);
  if (data == nullptr) {
    return absl::DataLossError(
        absl::StrFormat("%s: section %s cannot be read (%s): the file is damaged; build it again",
                        file.path, descriptors.name, elf_errmsg(-1)));
  }
  absl::flat_hash_set<uint64_t> named;
  for (const FunctionSymbol& symbol : symbols.functions) named.insert(symbol.address);
  std::stable_sort(
      described.begin(), described.end(), [](const FunctionSymbol& a, const FunctionSymbol& b) {
        return std::tuple(a.address, !IsStrong(a)) < std::tuple(b.address, !IsStrong(b));
      });
  for (size_t i = 0; i < described.size(); ++i) {
    if (i > 0 && described[i].address == described[i - 1].address) continue;
    const std::optional<uint64_t> code = CodeOf(file, descriptors, *data, described[i].address);
    if (!code || named.contains(*code)) continue;
    FunctionSymbol function = described[i];
    function.address = *code;
    function.table_index = table_index++;
    function.name = absl::StrCat(".", function.name);
    symbols.functions.push_back(std::move(function));
  }
  return absl::OkStatus();
}

}  // namespace gprofhub
