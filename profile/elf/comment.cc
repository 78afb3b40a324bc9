#include "profile/elf/comment.h"

#include <algorithm>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "profile/names/toolchain_name.h"

namespace gprofhub::profile {
namespace {

// Linkers keep each string once.
constexpr size_t kMostBytes = 1 << 16;

}  // namespace

std::string CommentToolchain(const ElfFile& file) {
  for (const ElfSection& section : file.sections) {
    if (section.name != ".comment" || section.header.sh_type != SHT_PROGBITS) continue;
    const absl::StatusOr<Elf_Data*> data = ReadSection(file, section);
    if (!data.ok() || (*data)->d_buf == nullptr) return "";
    const absl::string_view text(static_cast<const char*>((*data)->d_buf),
                                 std::min<size_t>((*data)->d_size, kMostBytes));
    std::set<std::string> gnu, others;
    for (const absl::string_view part : absl::StrSplit(text, '\0', absl::SkipEmpty())) {
      if (absl::StartsWith(part, "Linker: ")) continue;
      std::string name = ToolchainName(part);
      if (!name.empty()) (absl::StartsWith(name, "gcc ") ? gnu : others).insert(std::move(name));
    }
    const std::set<std::string>& of_code = others.empty() ? gnu : others;
    return of_code.size() == 1 ? *of_code.begin() : "";
  }
  return "";
}

}  // namespace gprofhub::profile
