#include "profile/elf/section_count.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "absl/strings/str_format.h"
#include "profile/elf/load_number.h"
#include "profile/elf/magic.h"

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

}  // namespace gprofhub::profile
