#include "profile/elf/sections.h"

#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <lzma.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "profile/demangle.h"
#include "profile/elf/file.h"

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

namespace {

constexpr uint64_t kUnsuspiciousBytes = uint64_t{1} << 20;
constexpr uint64_t kMostInflation = 32;

struct CompressedSection {
  const ElfSection* section;
  uint64_t claim;
  std::optional<absl::string_view> zlib;  // the stream, if this code can inflate it
};

// nullopt: not compressed, or elfutils cannot read its header either.
std::optional<CompressedSection> Compressed(const ElfFile& file, const ElfSection& section,
                                            absl::string_view bytes) {
  const bool big_endian = file.header.e_ident[EI_DATA] == ELFDATA2MSB;
  const bool is_32_bit = file.header.e_ident[EI_CLASS] == ELFCLASS32;
  if ((section.header.sh_flags & SHF_COMPRESSED) != 0) {
    const size_t header = is_32_bit ? sizeof(Elf32_Chdr) : sizeof(Elf64_Chdr);
    if (bytes.size() < header) return std::nullopt;
    const uint64_t type = LoadNumber(bytes.data(), 4, big_endian);
    CompressedSection found{&section, 0, std::nullopt};
    found.claim = is_32_bit
                      ? LoadNumber(bytes.data() + offsetof(Elf32_Chdr, ch_size), 4, big_endian)
                      : LoadNumber(bytes.data() + offsetof(Elf64_Chdr, ch_size), 8, big_endian);
    if (type == ELFCOMPRESS_ZLIB) found.zlib = bytes.substr(header);
    return found;
  }
  constexpr absl::string_view kMagic = "ZLIB";
  constexpr size_t kHeader = 12;
  if (!absl::StartsWith(section.name, ".zdebug") || !absl::StartsWith(bytes, kMagic) ||
      bytes.size() < kHeader) {
    return std::nullopt;
  }
  return CompressedSection{&section, LoadNumber(bytes.data() + kMagic.size(), 8, true),
                           bytes.substr(kHeader)};
}

class Inflation {
 public:
  Inflation() { ready_ = inflateInit(&stream_) == Z_OK; }
  Inflation(const Inflation&) = delete;
  Inflation& operator=(const Inflation&) = delete;
  ~Inflation() { inflateEnd(&stream_); }

  // Whether the bytes, a zlib stream, inflate to `size` bytes.
  bool Gives(absl::string_view bytes, uint64_t size) {
    if (!ready_ || bytes.size() > UINT_MAX) return false;
    std::array<unsigned char, 1 << 15> dropped;
    stream_.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<unsigned>(bytes.size());
    uint64_t inflated = 0;
    int result = Z_OK;
    while (result == Z_OK && inflated <= size) {
      stream_.next_out = dropped.data();
      stream_.avail_out = dropped.size();
      result = inflate(&stream_, Z_NO_FLUSH);
      inflated += dropped.size() - stream_.avail_out;
    }
    return result == Z_STREAM_END && inflated == size;
  }

 private:
  z_stream stream_ = {};
  bool ready_ = false;
};

}  // namespace

absl::Status CheckCompressedSections(const ElfFile& file) {
  size_t file_size = 0;
  const char* content = elf_rawfile(file.elf.get(), &file_size);
  if (content == nullptr) return absl::OkStatus();
  uint64_t claims = 0;
  std::vector<CompressedSection> sections;
  for (const ElfSection& section : file.sections) {
    if (section.header.sh_type == SHT_NOBITS || section.header.sh_type == SHT_NULL) continue;
    const absl::string_view bytes(content + section.header.sh_offset, section.header.sh_size);
    const std::optional<CompressedSection> found = Compressed(file, section, bytes);
    if (!found) continue;
    if (__builtin_add_overflow(claims, found->claim, &claims)) claims = UINT64_MAX;
    sections.push_back(*found);
  }
  if (claims <= 2 * file_size + kUnsuspiciousBytes) return absl::OkStatus();
  for (const CompressedSection& compressed : sections) {
    const bool is_possible = claims <= kMostInflation * file_size;
    if (is_possible && !compressed.zlib) continue;
    if (is_possible && Inflation().Gives(*compressed.zlib, compressed.claim)) continue;
    return absl::DataLossError(absl::StrFormat(
        "%s: section %s at byte %d does not decompress to the declared %d bytes, or several "
        "sections declare more than a file of %d bytes can have: the file is truncated or damaged; "
        "build it again",
        file.path, compressed.section->name, compressed.section->header.sh_offset, compressed.claim,
        file_size));
  }
  return absl::OkStatus();
}

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

namespace {

constexpr uint64_t kMegabyte = 1 << 20;
constexpr uint64_t kMostGrowth = 32;
// Memory of xz's highest level.
constexpr uint64_t kDecoderMemory = 80 * kMegabyte;

absl::StatusOr<std::string> Inflate(absl::string_view packed, uint64_t most,
                                    const std::string& name) {
  const auto damaged = [&](absl::string_view how) {
    return absl::DataLossError(absl::StrCat(name, ": section .gnu_debugdata ", how,
                                            ": the file is damaged; install it again"));
  };
  lzma_stream stream = LZMA_STREAM_INIT;
  const auto end = absl::MakeCleanup([&] { lzma_end(&stream); });
  if (lzma_stream_decoder(&stream, kDecoderMemory, 0) != LZMA_OK) {
    return absl::ResourceExhaustedError(absl::StrCat(name, ": out of memory for xz"));
  }
  stream.next_in = reinterpret_cast<const uint8_t*>(packed.data());
  stream.avail_in = packed.size();
  std::string bytes;
  lzma_ret result = LZMA_OK;
  while (result == LZMA_OK) {
    const uint64_t before = stream.total_out;
    if (before > most) return damaged("is too large after decompression");
    bytes.resize(std::max<uint64_t>(before + packed.size(), 2 * before));
    stream.next_out = reinterpret_cast<uint8_t*>(&bytes[before]);
    stream.avail_out = bytes.size() - before;
    result = lzma_code(&stream, LZMA_FINISH);
  }
  if (result != LZMA_STREAM_END) return damaged("cannot be decompressed");
  bytes.resize(stream.total_out);
  return bytes;
}

}  // namespace

absl::StatusOr<std::unique_ptr<ElfFile>> OpenMiniSymbols(const ElfFile& file) {
  const auto section =
      std::find_if(file.sections.begin(), file.sections.end(), [](const ElfSection& candidate) {
        return candidate.name == ".gnu_debugdata" && candidate.header.sh_type == SHT_PROGBITS;
      });
  if (section == file.sections.end()) return nullptr;
  ASSIGN_OR_RETURN(Elf_Data * data, ReadSection(file, *section));
  const absl::string_view packed(static_cast<const char*>(data->d_buf), data->d_size);
  size_t size = 0;
  elf_rawfile(file.elf.get(), &size);
  ASSIGN_OR_RETURN(std::string bytes, Inflate(packed, kMostGrowth * size + kMegabyte, file.path));
  return OpenElfBytes(std::move(bytes), absl::StrCat(file.path, " (.gnu_debugdata)"));
}

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
  ASSIGN_OR_RETURN(Elf_Data * data, ReadSection(file, *section));
  return DescriptorSection{static_cast<size_t>(section - file.sections.begin()),
                           section->header.sh_addr, data};
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
