#include "profile/elf/file.h"

#include <elf.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"

namespace gprofhub::profile {

namespace {

constexpr uint64_t kUnsuspiciousSections = 1024;
constexpr uint64_t kFileBytesForEachSection = 512;

// Positions of numbers in the file's header and in a section header.
struct Layout {
  size_t header, table, table_bytes, count;
  size_t section, section_size, section_size_bytes;
};
constexpr Layout kLayout32 = {
    sizeof(Elf32_Ehdr), offsetof(Elf32_Ehdr, e_shoff), 4, offsetof(Elf32_Ehdr, e_shnum),
    sizeof(Elf32_Shdr), offsetof(Elf32_Shdr, sh_size), 4};
constexpr Layout kLayout64 = {
    sizeof(Elf64_Ehdr), offsetof(Elf64_Ehdr, e_shoff), 8, offsetof(Elf64_Ehdr, e_shnum),
    sizeof(Elf64_Shdr), offsetof(Elf64_Shdr, sh_size), 8};

}  // namespace

absl::Status CheckSectionCount(const std::string& path, uint64_t file_size, ReadBytes read) {
  std::array<char, std::max(sizeof(Elf32_Ehdr), sizeof(Elf64_Ehdr))> header{};
  if (!read(0, header.data(), std::min<uint64_t>(header.size(), file_size))) {
    return absl::OkStatus();
  }
  const bool big_endian = header[EI_DATA] == ELFDATA2MSB;
  const Layout& layout = header[EI_CLASS] == ELFCLASS32 ? kLayout32 : kLayout64;
  if (!IsElf({header.data(), header.size()}) || file_size < layout.header) {
    return absl::OkStatus();
  }
  uint64_t place = layout.count;
  uint64_t count = LoadNumber(header.data() + layout.count, 2, big_endian);
  if (count == 0) {  // too large for the field: the size of the first section has it
    const uint64_t table = LoadNumber(header.data() + layout.table, layout.table_bytes, big_endian);
    std::array<char, sizeof(Elf64_Shdr)> first{};
    if (table == 0 || file_size < layout.section || table > file_size - layout.section ||
        !read(table, first.data(), layout.section)) {
      return absl::OkStatus();
    }
    place = table + layout.section_size;
    count = LoadNumber(first.data() + layout.section_size, layout.section_size_bytes, big_endian);
  }
  if (count <= std::max(kUnsuspiciousSections, file_size / kFileBytesForEachSection)) {
    return absl::OkStatus();
  }
  return absl::DataLossError(absl::StrFormat(
      "%s: the header at byte %d claims %d sections in a file of %d bytes: the file is damaged; "
      "build it again",
      path, place, count, file_size));
}

namespace {

constexpr size_t kMostNameBytes = 256;  // of a section
constexpr uint64_t kSymbolNameBytesForEachByte = 16;
constexpr uint64_t kUnsuspiciousSymbolNameBytes = uint64_t{1} << 20;

absl::Status Damaged(const ElfFile& file, absl::string_view what) {
  return absl::DataLossError(
      absl::StrFormat("%s: %s: the file is truncated or damaged; build it again", file.path, what));
}

absl::Status CheckKind(ElfFile& file, bool may_be_relocatable) {
  if (elf_kind(file.elf.get()) != ELF_K_ELF) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s: not an ELF file; pass the program that was profiled", file.path));
  }
  if (gelf_getehdr(file.elf.get(), &file.header) == nullptr) {
    return Damaged(file, "the ELF header cannot be read");
  }
  if (file.header.e_type != ET_EXEC && file.header.e_type != ET_DYN &&
      !(may_be_relocatable && file.header.e_type == ET_REL)) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s: not a linked program or shared library (ELF type %d); pass the "
                        "program that was profiled, not an object file or core dump",
                        file.path, file.header.e_type));
  }
  return absl::OkStatus();
}

absl::Status ReadSections(ElfFile& file) {
  size_t file_size = 0;
  size_t names = 0;
  size_t count = 0;
  if (elf_rawfile(file.elf.get(), &file_size) == nullptr ||
      elf_getshdrnum(file.elf.get(), &count) != 0) {
    return Damaged(file, "the section headers cannot be read");
  }
  if (count == 0 && file.header.e_shoff != 0) {
    return Damaged(file, absl::StrFormat("the section headers at byte %d lie outside the file",
                                         file.header.e_shoff));
  }
  if (count == 0) return absl::OkStatus();
  file.sections.reserve(count);
  if (elf_getshdrstrndx(file.elf.get(), &names) != 0) {
    return Damaged(file, "the section name table cannot be found");
  }
  for (size_t index = 0; index < count; ++index) {
    ElfSection section;
    section.handle = elf_getscn(file.elf.get(), index);
    if (section.handle == nullptr || gelf_getshdr(section.handle, &section.header) == nullptr) {
      return Damaged(file,
                     absl::StrFormat("section header %d at byte %d lies outside the file", index,
                                     file.header.e_shoff + index * file.header.e_shentsize));
    }
    const GElf_Shdr& header = section.header;
    const char* name = elf_strptr(file.elf.get(), names, header.sh_name);
    if (name != nullptr) section.name = absl::string_view(name, strnlen(name, kMostNameBytes));
    if (header.sh_type != SHT_NOBITS && header.sh_type != SHT_NULL &&
        (header.sh_offset > file_size || header.sh_size > file_size - header.sh_offset)) {
      return Damaged(
          file, absl::StrFormat("section %d (%s) needs %d bytes at byte %d but the file has %d",
                                index, absl::CHexEscape(section.name), header.sh_size,
                                header.sh_offset, file_size));
    }
    file.sections.push_back(std::move(section));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<ElfFile>> Finish(std::unique_ptr<ElfFile> file,
                                                bool may_be_relocatable) {
  if (file->elf == nullptr) return Damaged(*file, elf_errmsg(-1));
  RETURN_IF_ERROR(CheckKind(*file, may_be_relocatable));
  RETURN_IF_ERROR(ReadSections(*file));
  return file;
}

absl::StatusOr<std::unique_ptr<ElfFile>> OpenPath(const std::string& path,
                                                  bool may_be_relocatable) {
  elf_version(EV_CURRENT);
  // Does not wait for the writer of a pipe.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    const int error = errno;
    return absl::ErrnoToStatus(error, absl::StrCat(path, ": cannot be opened"));
  }
  std::unique_ptr<ElfFile> file(
      new ElfFile{path, base::FileDescriptor(fd), nullptr, nullptr, {}, {}, nullptr});
  struct stat info;
  if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) {
    RETURN_IF_ERROR(CheckSectionCount(
        path, static_cast<uint64_t>(info.st_size), [&](uint64_t offset, void* to, size_t size) {
          return pread(fd, to, size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size);
        }));
  }
  file->elf.reset(elf_begin(fd, ELF_C_READ_MMAP, nullptr));
  return Finish(std::move(file), may_be_relocatable);
}

}  // namespace

absl::StatusOr<std::unique_ptr<ElfFile>> OpenElfFile(const std::string& path) {
  return OpenPath(path, false);
}

absl::StatusOr<std::unique_ptr<ElfFile>> OpenSharedDebugFile(const std::string& path) {
  return OpenPath(path, true);
}

absl::StatusOr<std::unique_ptr<ElfFile>> OpenElfBytes(std::string bytes, const std::string& name) {
  const auto owner = std::make_shared<const std::string>(std::move(bytes));
  return OpenElfMemory(*owner, owner, name);
}

absl::StatusOr<std::unique_ptr<ElfFile>> OpenElfMemory(absl::string_view bytes,
                                                       std::shared_ptr<const void> owner,
                                                       const std::string& name) {
  elf_version(EV_CURRENT);
  std::unique_ptr<ElfFile> file(
      new ElfFile{name, base::FileDescriptor(), std::move(owner), nullptr, {}, {}, nullptr});
  RETURN_IF_ERROR(
      CheckSectionCount(name, bytes.size(), [&](uint64_t offset, void* to, size_t size) {
        return offset <= bytes.size() && bytes.copy(static_cast<char*>(to), size, offset) == size;
      }));
  // libelf does not write to the memory of a file that is only read.
  file->elf.reset(elf_memory(const_cast<char*>(bytes.data()), bytes.size()));
  return Finish(std::move(file), false);
}

absl::StatusOr<Elf_Data*> ReadSection(const ElfFile& file, const ElfSection& section) {
  Elf_Data* const data = elf_getdata(section.handle, nullptr);
  if (data != nullptr) return data;
  return Damaged(file,
                 absl::StrFormat("section %s cannot be read (%s)", section.name, elf_errmsg(-1)));
}

absl::Status ForEachSymbol(
    const ElfFile& file, const ElfSection& table,
    absl::FunctionRef<void(uint32_t index, const GElf_Sym& symbol, absl::string_view name)> visit) {
  ASSIGN_OR_RETURN(Elf_Data * data, ReadSection(file, table));
  absl::string_view names;
  if (const GElf_Word link = table.header.sh_link;
      link < file.sections.size() && file.sections[link].header.sh_type == SHT_STRTAB) {
    ASSIGN_OR_RETURN(Elf_Data * strings, ReadSection(file, file.sections[link]));
    names = absl::string_view(static_cast<const char*>(strings->d_buf), strings->d_size);
    names = names.substr(0, names.rfind('\0') + 1);  // the last name ends there
  }
  const uint64_t most_name_bytes =
      kSymbolNameBytesForEachByte * names.size() + kUnsuspiciousSymbolNameBytes;
  uint64_t name_bytes = 0;
  const size_t count = data->d_size / gelf_fsize(file.elf.get(), ELF_T_SYM, 1, EV_CURRENT);
  for (size_t i = 0; i < count; ++i) {
    GElf_Sym symbol;
    if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) break;
    const absl::string_view name =
        symbol.st_name < names.size() ? names.data() + symbol.st_name : "";
    name_bytes += name.size();
    if (name_bytes > most_name_bytes) {
      return Damaged(
          file, absl::StrFormat("the names in section %s are the ends of one another", table.name));
    }
    visit(static_cast<uint32_t>(i), symbol, name);
  }
  return absl::OkStatus();
}

absl::string_view DebugSection(const ElfFile& file, absl::string_view name) {
  for (const ElfSection& section : file.sections) {
    absl::string_view found = section.name;
    if (!absl::ConsumePrefix(&found, ".") || found != name) continue;
    const Elf_Data* const data = elf_rawdata(section.handle, nullptr);
    if (data == nullptr || data->d_buf == nullptr) return {};
    return absl::string_view(static_cast<const char*>(data->d_buf), data->d_size);
  }
  return {};
}

std::string BuildIdOf(const ElfFile& file) {
  const void* bytes = nullptr;
  const ssize_t size = dwelf_elf_gnu_build_id(file.elf.get(), &bytes);
  if (size <= 0) return "";
  return absl::BytesToHexString(absl::string_view(static_cast<const char*>(bytes), size));
}

std::string ArchitectureOf(const ElfFile& file) {
  switch (file.header.e_machine) {
    case EM_X86_64:
      return "x86_64";
    case EM_386:
      return "i386";
    case EM_AARCH64:
      return "aarch64";
    case EM_ARM:
      return "arm";
    case EM_RISCV:
      return "riscv";
    case EM_PPC64:
      return "ppc64";
    case EM_PPC:
      return "ppc";
    case EM_S390:
      return "s390";
    case EM_MIPS:
      return "mips";
    case EM_SPARC:
    case EM_SPARC32PLUS:
      return "sparc";
    case EM_SPARCV9:
      return "sparc64";
    default:
      return absl::StrCat("elf-machine-", file.header.e_machine);
  }
}

absl::StatusOr<std::vector<CodeSection>> ReadElfCode(const std::string& path) {
  ASSIGN_OR_RETURN(const std::unique_ptr<ElfFile> file, OpenElfFile(path));
  std::vector<CodeSection> code;
  for (const ElfSection& section : file->sections) {
    constexpr uint64_t kCode = SHF_ALLOC | SHF_EXECINSTR;
    if ((section.header.sh_flags & kCode) != kCode) continue;
    if (section.header.sh_type != SHT_PROGBITS || section.header.sh_size == 0) continue;
    const Elf_Data* data = elf_rawdata(section.handle, nullptr);
    if (data == nullptr || data->d_buf == nullptr) {
      return absl::DataLossError(
          absl::StrCat(path, ": section ", section.name,
                       " cannot be read: the file is truncated or damaged; build it again"));
    }
    code.push_back(
        {section.header.sh_addr, std::string(static_cast<const char*>(data->d_buf), data->d_size)});
  }
  return code;
}

}  // namespace gprofhub::profile
