#include "profile/elf/read_image.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "profile/elf/file.h"
#include "profile/elf/line_table.h"
#include "profile/elf/lines.h"
#include "profile/elf/sections.h"
#include "profile/elf/toolchains.h"

namespace gprofhub::profile {

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
    // Without bytes, old PowerPC's .plt is created at the start, and is not code of the program.
    if (!IsExecutable(section) || section.header.sh_type == SHT_NOBITS) continue;
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

// Stable. Sorts small keys, and moves each symbol once.
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

// The symbols of one table that are read.
class TableReader {
 public:
  TableReader(const ElfFile& file, const ElfSection& table, const DescriptorSection& descriptors)
      : file_(file), table_(table), descriptors_(descriptors) {}

  // The number of its functions. DataLoss: it cannot be read.
  absl::StatusOr<size_t> CountFunctions() const {
    size_t functions = 0;
    RETURN_IF_ERROR(
        ForEachSymbol(file_, table_, [&](uint32_t, const GElf_Sym& symbol, absl::string_view name) {
          if (!IsPlaced(symbol, name)) return;
          functions += IsCode(symbol) || (IsDescriptor(symbol) && LeadsToCode(symbol));
        }));
    return functions;
  }

  // Adds the functions that CountFunctions counted, and the table's other kept symbols.
  absl::Status Read(size_t functions, SymbolTable& symbols) const {
    symbols.functions.reserve(symbols.functions.size() + functions);
    std::vector<FunctionSymbol> described;
    uint32_t local_file = 0;
    uint32_t count = 0;
    RETURN_IF_ERROR(ForEachSymbol(
        file_, table_, [&](uint32_t index, const GElf_Sym& symbol, absl::string_view name) {
          count = index + 1;
          if (GELF_ST_TYPE(symbol.st_info) == STT_FILE) {
            local_file = name.empty() ? 0 : static_cast<uint32_t>(symbols.files.size());
            if (!name.empty()) symbols.files.emplace_back(name);
            return;
          }
          if (const size_t version = name.find('@'); version != 0) name = name.substr(0, version);
          if (name == "etext" && symbol.st_shndx != SHN_UNDEF) symbols.etext = symbol.st_value;
          if (!IsPlaced(symbol, name)) return;
          const auto function = [&] { return Function(index, symbol, name, local_file); };
          if (IsCode(symbol)) {
            symbols.functions.push_back(function());
            return;
          }
          if (IsDescriptor(symbol) && LeadsToCode(symbol)) described.push_back(function());
          if (IsWeakLabel(symbol)) symbols.weak_labels.push_back(function());
        }));
    AddDescribedFunctions(file_, descriptors_, std::move(described), count, symbols);
    SortByAddress(symbols.functions);
    SortByAddress(symbols.weak_labels);
    return absl::OkStatus();
  }

 private:
  // Whether the symbol is in a section.
  bool IsPlaced(const GElf_Sym& symbol, absl::string_view name) const {
    const int type = GELF_ST_TYPE(symbol.st_info);
    return !name.empty() && type != STT_FILE && type != STT_SECTION && type != STT_TLS &&
           symbol.st_shndx != SHN_UNDEF && symbol.st_shndx < file_.sections.size();
  }

  bool IsCode(const GElf_Sym& symbol) const {
    return IsExecutable(file_.sections[symbol.st_shndx]);
  }

  bool IsDescriptor(const GElf_Sym& symbol) const {
    return symbol.st_shndx == descriptors_.index && GELF_ST_TYPE(symbol.st_info) != STT_OBJECT;
  }

  bool LeadsToCode(const GElf_Sym& symbol) const {
    return CodeOf(file_, descriptors_, symbol.st_value).has_value();
  }

  bool IsWeakLabel(const GElf_Sym& symbol) const {
    const int type = GELF_ST_TYPE(symbol.st_info);
    if (GELF_ST_BIND(symbol.st_info) != STB_WEAK) return false;
    return IsDescriptor(symbol) ? type != STT_GNU_IFUNC : type == STT_NOTYPE;
  }

  FunctionSymbol Function(uint32_t index, const GElf_Sym& symbol, absl::string_view name,
                          uint32_t local_file) const {
    const int type = GELF_ST_TYPE(symbol.st_info);
    const int binding = GELF_ST_BIND(symbol.st_info);
    FunctionSymbol function;
    function.address = symbol.st_value;
    function.size = symbol.st_size;
    function.name = std::string(name);
    function.table_index = index;
    function.is_local = binding == STB_LOCAL;
    function.is_weak = binding == STB_WEAK;
    function.is_function = type == STT_FUNC || type == STT_GNU_IFUNC;
    function.is_indirect = type == STT_GNU_IFUNC;
    function.file = function.is_local ? local_file : 0;
    // Bit 0 marks a Thumb function ("ELF for the Arm Architecture", Symbol values).
    if (file_.header.e_machine == EM_ARM && function.is_function) function.address &= ~uint64_t{1};
    return function;
  }

  const ElfFile& file_;
  const ElfSection& table_;
  const DescriptorSection descriptors_;
};

// Sources of an image's functions.
struct FunctionTables {
  std::unique_ptr<ElfFile> debug_file;  // null: not searched, or not found
  std::unique_ptr<ElfFile> mini_file;
  std::vector<std::pair<TableReader, size_t>> tables;  // with the number of their functions
};

// Adds the file's first table of the type with functions; true if there is one.
absl::StatusOr<bool> AddTable(const ElfFile& file, GElf_Word type, FunctionTables& found) {
  ASSIGN_OR_RETURN(const DescriptorSection descriptors, FindDescriptors(file));
  for (const ElfSection& section : file.sections) {
    if (section.header.sh_type != type) continue;
    const TableReader reader(file, section, descriptors);
    ASSIGN_OR_RETURN(const size_t functions, reader.CountFunctions());
    if (functions == 0) continue;
    found.tables.emplace_back(reader, functions);
    return true;
  }
  return false;
}

// The file's own symbols; if it was stripped, those of its debug file; without one, its exported
// symbols and those in .gnu_debugdata.
absl::StatusOr<FunctionTables> FindFunctions(const ElfFile& file) {
  FunctionTables found;
  ASSIGN_OR_RETURN(bool has, AddTable(file, SHT_SYMTAB, found));
  if (has) return found;
  found.debug_file = FindDebugFile(file);
  if (found.debug_file != nullptr) {
    ASSIGN_OR_RETURN(has, AddTable(*found.debug_file, SHT_SYMTAB, found));
    if (has) return found;
  }
  ASSIGN_OR_RETURN(has, AddTable(file, SHT_DYNSYM, found));
  ASSIGN_OR_RETURN(std::unique_ptr<ElfFile> mini_file, OpenMiniSymbols(file));
  found.mini_file = std::move(mini_file);
  if (found.mini_file != nullptr) {
    RETURN_IF_ERROR(AddTable(*found.mini_file, SHT_SYMTAB, found).status());
  }
  return found;
}

// Damage is detected before anything is stored.
absl::Status CheckDebugInformation(const ElfFile& file, const ElfReadOptions& options) {
  const bool reads_tables = options.with_lines || options.with_call_lines;
  const bool reads_units =
      options.with_scopes || options.with_call_lines || options.with_toolchains;
  RETURN_IF_ERROR(CheckDwarfShape(file, reads_units));
  return reads_tables ? CheckLineTables(file) : absl::OkStatus();
}

// Fallback for functions without debug information.
void TakeCommentToolchain(const ElfFile& file, SymbolTable& symbols) {
  std::string toolchain = CommentToolchain(file);
  if (toolchain.empty()) return;
  symbols.toolchains.push_back(std::move(toolchain));
  for (FunctionSymbol& function : symbols.functions) function.toolchain = 1;
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
  RETURN_IF_ERROR(SetTextRange(**file, symbols));
  ASSIGN_OR_RETURN(FunctionTables functions, FindFunctions(**file));
  if (functions.tables.empty() && !options.may_be_stripped) {
    return absl::FailedPreconditionError(absl::StrFormat(
        "%s: no function symbols, the file was stripped; build it without -s, and with Bazel's "
        "--strip=never",
        (*file)->path));
  }

  std::unique_ptr<ElfFile>& separate = functions.debug_file;
  std::unique_ptr<ElfFile> inflated;
  ElfFile* debug_file = nullptr;  // if it is read
  if (options.with_lines || options.with_call_lines || options.with_scopes ||
      options.with_toolchains) {
    const bool has_lines = HasLines(**file);
    if (!has_lines && separate == nullptr) separate = FindDebugFile(**file);
    debug_file = !has_lines && separate != nullptr ? separate.get() : file->get();
    ASSIGN_OR_RETURN(inflated, InflateDebugSections(*debug_file));
    if (inflated != nullptr) debug_file = inflated.get();
    RETURN_IF_ERROR(OpenSupplement(*debug_file));
    RETURN_IF_ERROR(CheckDebugInformation(*debug_file, options));
  }
  // Some of these may still detect damage.
  absl::Status status;
  if (options.with_scopes) status.Update(ReadDwarfScopes(*debug_file, symbols));
  for (const auto& [table, count] : functions.tables) {
    if (status.ok()) status.Update(table.Read(count, symbols));
  }
  if (status.ok()) status.Update(FindSharedReturns(**file, symbols));
  if (options.with_lines && status.ok()) {
    status.Update(ReadDwarfLines(*debug_file, symbols, {options.absolute_files}));
  }
  if (options.with_call_lines && status.ok()) {
    status.Update(ReadDwarfCallLines(*debug_file, symbols));
  }
  if (options.with_toolchains && status.ok())
    status.Update(ReadDwarfToolchains(*debug_file, symbols));
  if (!status.ok()) return status;
  if (options.with_toolchains && symbols.toolchains.size() == 1)
    TakeCommentToolchain(**file, symbols);
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
  ASSIGN_OR_RETURN(std::unique_ptr<ElfFile> file, OpenElfFile(path));
  return BuildIdOf(*file);
}

}  // namespace gprofhub::profile
