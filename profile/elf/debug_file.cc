#include "profile/elf/debug_file.h"

#include <elfutils/libdwelf.h>
#include <zlib.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace gprofhub::profile {
namespace {

constexpr char kDebugFolder[] = "/usr/lib/debug";

// The checksum of .gnu_debuglink.
std::optional<uint32_t> ChecksumOf(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  uLong checksum = crc32(0, nullptr, 0);
  std::array<Bytef, 65536> buffer;
  while (file) {
    file.read(reinterpret_cast<char*>(buffer.data()), buffer.size());
    checksum = crc32(checksum, buffer.data(), static_cast<uInt>(file.gcount()));
  }
  if (!file.eof()) return std::nullopt;
  return static_cast<uint32_t>(checksum);
}

std::unique_ptr<ElfFile> ByBuildId(const ElfFile& file, const std::string& folder) {
  const std::string build_id = BuildIdOf(file);
  if (build_id.size() < 4) return nullptr;
  const std::string name =
      absl::StrCat(".build-id/", build_id.substr(0, 2), "/", build_id.substr(2), ".debug");
  for (const std::string& place :
       {folder + name, folder + ".debug/" + name, absl::StrCat(kDebugFolder, "/", name)}) {
    auto found = OpenElfFile(place);
    if (found.ok() && BuildIdOf(**found) == build_id) return *std::move(found);
  }
  return nullptr;
}

std::unique_ptr<ElfFile> ByLink(const ElfFile& file, const std::string& folder) {
  GElf_Word checksum = 0;
  const char* linked = dwelf_elf_gnu_debuglink(file.elf.get(), &checksum);
  const absl::string_view name = linked == nullptr ? "" : linked;
  if (name.empty() || name.find('/') != absl::string_view::npos) return nullptr;
  std::error_code error;
  const std::string absolute = std::filesystem::absolute(folder + ".", error).parent_path();
  for (const std::string& place :
       {absl::StrCat(folder, name), absl::StrCat(folder, ".debug/", name),
        absl::StrCat(kDebugFolder, absolute, "/", name)}) {
    if (ChecksumOf(place) != checksum) continue;
    if (auto found = OpenElfFile(place); found.ok()) return *std::move(found);
  }
  return nullptr;
}

}  // namespace

std::unique_ptr<ElfFile> FindDebugFile(const ElfFile& file) {
  if (file.fd.value() < 0) return nullptr;
  const std::string folder = file.path.substr(0, file.path.rfind('/') + 1);
  std::unique_ptr<ElfFile> found = ByBuildId(file, folder);
  return found != nullptr ? std::move(found) : ByLink(file, folder);
}

}  // namespace gprofhub::profile
