#include "profile/elf_symbols.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "profile/debug_file.h"
#include "profile/dwarf_call_lines.h"
#include "profile/dwarf_lines.h"
#include "profile/dwarf_scopes.h"
#include "profile/dwarf_shape.h"
#include "profile/elf_claims.h"
#include "profile/elf_file.h"
#include "profile/opd_symbols.h"

namespace gprofhub {
namespace {

std::string WithoutDirectory(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

bool IsExecutable(const ElfSection& section) {
  return (section.header.sh_flags & SHF_EXECINSTR) != 0 &&
         (section.header.sh_flags & SHF_ALLOC) != 0 && section.header.sh_size > 0;
}

absl::Status SetTextRange(const ElfFile& file, SymbolTable& symbols) {
  symbols.text_low = UINT64_MAX;
  for (const ElfSection& section : file.sections) {
    if (!IsExecutable(section)) continue;
    uint64_t end = 0;
    if (__builtin_add_overflow(section.header.sh_addr, section.header.sh_size, &end)) {
      return absl::DataLossError(absl::StrFormat(
          "%s: section %s at %#x with %d bytes ends beyond the address space: the file is damaged; "
          "build it again",
          file.path, section.name, section.header.sh_addr, section.header.sh_size));
    }
    symbols.text_low = std::min<uint64_t>(symbols.text_low, section.header.sh_addr);
    symbols.text_high = std::max(symbols.text_high, end);
  }
  if (symbols.text_high == 0) symbols.text_low = 0;
  return absl::OkStatus();
}

// Stable. Sorts what is small, and moves each symbol once.
void SortByAddress(std::vector<FunctionSymbol>& list) {
  std::vector<std::pair<uint64_t, size_t>> order;
  order.reserve(list.size());
  for (const FunctionSymbol& symbol : list) order.emplace_back(symbol.address, order.size());
  std::sort(order.begin(), order.end());
  std::vector<FunctionSymbol> sorted;
  sorted.reserve(list.size());
  for (const auto& [address, index] : order) sorted.push_back(std::move(list[index]));
  list = std::move(sorted);
}

// Reads one symbol table. Returns whether it has a symbol in an executable
// section.
absl::StatusOr<bool> ReadTable(const ElfFile& file, const ElfSection& table, SymbolTable& symbols) {
  Elf_Data* data = elf_getdata(table.handle, nullptr);
  if (data == nullptr) {
    return absl::DataLossError(
        absl::StrFormat("%s: section %s cannot be read (%s): the file is damaged; build it again",
                        file.path, table.name, elf_errmsg(-1)));
  }
  const size_t count = data->d_size / gelf_fsize(file.elf.get(), ELF_T_SYM, 1, EV_CURRENT);
  const size_t descriptor_section = DescriptorSection(file);
  std::vector<FunctionSymbol> described;
  uint32_t local_file = 0;
  for (size_t i = 0; i < count; ++i) {
    GElf_Sym symbol;
    if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) break;
    const int type = GELF_ST_TYPE(symbol.st_info);
    const int binding = GELF_ST_BIND(symbol.st_info);
    const char* raw_name = elf_strptr(file.elf.get(), table.header.sh_link, symbol.st_name);
    absl::string_view name = raw_name == nullptr ? "" : raw_name;
    if (type == STT_FILE) {
      local_file = name.empty() ? 0 : symbols.files.size();
      if (!name.empty()) symbols.files.emplace_back(name);
      continue;
    }
    if (const size_t version = name.find('@'); version != 0) name = name.substr(0, version);
    if (name == "etext" && symbol.st_shndx != SHN_UNDEF) symbols.etext = symbol.st_value;
    if (name.empty() || type == STT_SECTION || type == STT_TLS || symbol.st_shndx == SHN_UNDEF ||
        symbol.st_shndx >= file.sections.size()) {
      continue;
    }
    const bool is_code = IsExecutable(file.sections[symbol.st_shndx]);
    const bool is_described =
        !is_code && symbol.st_shndx == descriptor_section && type != STT_OBJECT;
    if (!is_code && !is_described && (binding != STB_WEAK || type != STT_NOTYPE)) continue;
    FunctionSymbol function;
    function.address = symbol.st_value;
    function.size = symbol.st_size;
    function.name = std::string(name);
    function.table_index = static_cast<uint32_t>(i);
    function.is_local = binding == STB_LOCAL;
    function.is_weak = binding == STB_WEAK;
    function.is_function = type == STT_FUNC || type == STT_GNU_IFUNC;
    function.is_indirect = type == STT_GNU_IFUNC;
    function.file = function.is_local ? local_file : 0;
    if (is_described) described.push_back(function);
    if (is_described && (!function.is_weak || function.is_indirect)) continue;
    (is_code ? symbols.functions : symbols.weak_labels).push_back(std::move(function));
  }
  if (!described.empty()) {
    absl::Status status = AddDescribedFunctions(file, descriptor_section, std::move(described),
                                                static_cast<uint32_t>(count), symbols);
    if (!status.ok()) return status;
  }
  SortByAddress(symbols.functions);
  SortByAddress(symbols.weak_labels);
  return !symbols.functions.empty();
}

absl::Status ReadFunctions(const ElfFile& file, SymbolTable& symbols) {
  for (const GElf_Word type : {SHT_SYMTAB, SHT_DYNSYM}) {
    for (const ElfSection& section : file.sections) {
      if (section.header.sh_type != type) continue;
      absl::StatusOr<bool> found = ReadTable(file, section, symbols);
      if (!found.ok()) return found.status();
      if (*found) return absl::OkStatus();
    }
  }
  return absl::FailedPreconditionError(absl::StrFormat(
      "%s: has no function symbols, it was stripped: build it without -s, and with Bazel's "
      "--strip=never",
      file.path));
}

absl::Status ReadDebugInformation(const ElfFile& file, const ElfReadOptions& options,
                                  SymbolTable& symbols) {
  if (absl::Status status = CheckCompressedSections(file); !status.ok()) return status;
  if (absl::Status status = CheckDwarfShape(file); !status.ok()) return status;
  if (options.with_lines) {
    if (absl::Status status = ReadDwarfLines(file, symbols, options.absolute_files); !status.ok())
      return status;
  }
  if (options.with_call_lines) {
    if (absl::Status status = ReadDwarfCallLines(file, symbols); !status.ok()) return status;
  }
  return options.with_scopes ? ReadDwarfScopes(file, symbols) : absl::OkStatus();
}

absl::StatusOr<SymbolTable> Read(absl::StatusOr<std::unique_ptr<ElfFile>> file,
                                 const ElfReadOptions& options) {
  if (!file.ok()) return file.status();
  SymbolTable symbols;
  symbols.build_id = BuildIdOf(**file);
  symbols.architecture = ArchitectureOf(**file);
  symbols.address_size = (*file)->header.e_ident[EI_CLASS] == ELFCLASS32 ? 4 : 8;
  symbols.big_endian = (*file)->header.e_ident[EI_DATA] == ELFDATA2MSB;
  symbols.image_name = WithoutDirectory((*file)->path);
  if (absl::Status status = SetTextRange(**file, symbols); !status.ok()) return status;
  const absl::Status functions = ReadFunctions(**file, symbols);
  const bool is_stripped = absl::IsFailedPrecondition(functions);
  if (!functions.ok() && !(is_stripped && options.may_be_stripped)) return functions;
  if (!options.with_lines && !options.with_call_lines && !options.with_scopes) return symbols;
  const std::unique_ptr<ElfFile> debug_file = HasLines(**file) ? nullptr : FindDebugFile(**file);
  const absl::Status status =
      ReadDebugInformation(debug_file != nullptr ? *debug_file : **file, options, symbols);
  if (!status.ok()) return status;
  return symbols;
}

}  // namespace

absl::StatusOr<SymbolTable> ReadElfSymbols(const std::string& path, const ElfReadOptions& options) {
  return Read(OpenElfFile(path), options);
}

absl::StatusOr<SymbolTable> ReadElfSymbolsFromBytes(std::string bytes, const std::string& name,
                                                    const ElfReadOptions& options) {
  return Read(OpenElfBytes(std::move(bytes), name), options);
}

absl::StatusOr<std::string> ReadElfBuildId(const std::string& path) {
  absl::StatusOr<std::unique_ptr<ElfFile>> file = OpenElfFile(path);
  if (!file.ok()) return file.status();
  return BuildIdOf(**file);
}

}  // namespace gprofhub
