#include "profile/elf/code.h"

#include <memory>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "profile/elf/file.h"

namespace gprofhub::profile {

absl::StatusOr<std::vector<CodeSection>> ReadElfCode(const std::string& path) {
  const absl::StatusOr<std::unique_ptr<ElfFile>> file = OpenElfFile(path);
  if (!file.ok()) return file.status();
  std::vector<CodeSection> code;
  for (const ElfSection& section : (*file)->sections) {
    constexpr uint64_t kCode = SHF_ALLOC | SHF_EXECINSTR;
    if ((section.header.sh_flags & kCode) != kCode) continue;
    if (section.header.sh_type != SHT_PROGBITS || section.header.sh_size == 0) continue;
    const Elf_Data* data = elf_rawdata(section.handle, nullptr);
    if (data == nullptr || data->d_buf == nullptr) {
      return absl::DataLossError(
          absl::StrCat(path, ": section ", section.name,
                       " cannot be read: the file is cut off or damaged; build it again"));
    }
    code.push_back(
        {section.header.sh_addr, std::string(static_cast<const char*>(data->d_buf), data->d_size)});
  }
  return code;
}

}  // namespace gprofhub::profile
