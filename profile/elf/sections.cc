#include "profile/elf/sections.h"

#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/escaping.h"
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

constexpr uint64_t kElfCompressZstd = 2;  // ELFCOMPRESS_ZSTD, which older <elf.h> lack
constexpr uint64_t kUnsuspiciousBytes = uint64_t{1} << 20;
constexpr uint64_t kMostInflation = 32;

// A debug section, compressed or not.
struct PackedSection {
  const ElfSection* section;
  std::string name;         // ".debug_…"
  absl::string_view bytes;  // the stream, if it is compressed
  uint64_t size = 0;        // declared, once decompressed
  enum class Method { kNone, kZlib, kZstd } method = Method::kNone;
};

std::string Place(const ElfFile& file, const ElfSection& section) {
  return absl::StrFormat("%s: section %s at byte %d", file.path, section.name,
                         section.header.sh_offset);
}

absl::Status DamagedSection(const ElfFile& file, const PackedSection& packed) {
  return absl::DataLossError(absl::StrFormat(
      "%s does not decompress to the declared %d bytes: the file is truncated or damaged; build "
      "it again",
      Place(file, *packed.section), packed.size));
}

absl::StatusOr<PackedSection> Unwrap(const ElfFile& file, const ElfSection& section,
                                     absl::string_view bytes) {
  using Method = PackedSection::Method;
  PackedSection found{&section, std::string(section.name), bytes, bytes.size(), Method::kNone};
  const bool big_endian = file.header.e_ident[EI_DATA] == ELFDATA2MSB;
  const bool is_32_bit = file.header.e_ident[EI_CLASS] == ELFCLASS32;
  if ((section.header.sh_flags & SHF_COMPRESSED) != 0) {
    const size_t header = is_32_bit ? sizeof(Elf32_Chdr) : sizeof(Elf64_Chdr);
    if (bytes.size() < header) {
      return absl::DataLossError(
          absl::StrCat(Place(file, section),
                       " is too short for a compressed section's header: the "
                       "file is truncated or damaged; build it again"));
    }
    const uint64_t type = LoadNumber(bytes.data(), 4, big_endian);
    if (type != ELFCOMPRESS_ZLIB && type != kElfCompressZstd) {
      return absl::UnimplementedError(absl::StrFormat(
          "%s is compressed by an unknown method (type %d; supported: zlib and zstd): decompress "
          "it with `objcopy --decompress-debug-sections`, or build it with -gz",
          Place(file, section), type));
    }
    found.method = type == ELFCOMPRESS_ZLIB ? Method::kZlib : Method::kZstd;
    found.size = is_32_bit
                     ? LoadNumber(bytes.data() + offsetof(Elf32_Chdr, ch_size), 4, big_endian)
                     : LoadNumber(bytes.data() + offsetof(Elf64_Chdr, ch_size), 8, big_endian);
    found.bytes = bytes.substr(header);
    return found;
  }
  constexpr absl::string_view kMagic = "ZLIB";
  constexpr size_t kHeader = 12;
  if (absl::StartsWith(section.name, ".zdebug_") && absl::StartsWith(bytes, kMagic) &&
      bytes.size() >= kHeader) {
    found.method = Method::kZlib;
    found.name.erase(1, 1);
    found.size = LoadNumber(bytes.data() + kMagic.size(), 8, true);
    found.bytes = bytes.substr(kHeader);
  }
  return found;
}

class Inflation {
 public:
  Inflation() { ready_ = inflateInit(&stream_) == Z_OK; }
  Inflation(const Inflation&) = delete;
  Inflation& operator=(const Inflation&) = delete;
  ~Inflation() { inflateEnd(&stream_); }

  // Whether the bytes, a zlib stream, inflate to `size` bytes, which are stored at `to`; null: they
  // are dropped.
  bool Gives(absl::string_view bytes, uint64_t size, char* to) {
    if (!ready_ || bytes.size() > UINT_MAX) return false;
    std::array<unsigned char, 1 << 15> chunk;
    stream_.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<unsigned>(bytes.size());
    uint64_t inflated = 0;
    int result = Z_OK;
    while (result == Z_OK) {
      stream_.next_out = chunk.data();
      stream_.avail_out = chunk.size();
      result = inflate(&stream_, Z_NO_FLUSH);
      const size_t filled = chunk.size() - stream_.avail_out;
      if (filled > size - inflated) return false;
      if (to != nullptr) std::memcpy(to + inflated, chunk.data(), filled);
      inflated += filled;
    }
    return result == Z_STREAM_END && inflated == size;
  }

 private:
  z_stream stream_ = {};
  bool ready_ = false;
};

// Whether the frames are whole, and declare `size` bytes in total; frames may declare nothing.
bool MayGive(absl::string_view frames, uint64_t size) {
  uint64_t declared = 0;
  bool is_known = true;
  while (!frames.empty()) {
    const unsigned long long content = ZSTD_getFrameContentSize(frames.data(), frames.size());
    const size_t taken = ZSTD_findFrameCompressedSize(frames.data(), frames.size());
    if (content == ZSTD_CONTENTSIZE_ERROR || ZSTD_isError(taken) != 0) return false;
    if (content == ZSTD_CONTENTSIZE_UNKNOWN) {
      is_known = false;
    } else if (__builtin_add_overflow(declared, content, &declared)) {
      return false;
    }
    frames.remove_prefix(taken);
  }
  return is_known ? declared == size : declared <= size;
}

// Whether the section may be decompressed, or is seen to be damaged without storing anything.
bool IsSound(const PackedSection& packed, bool is_suspicious) {
  switch (packed.method) {
    case PackedSection::Method::kZlib:
      return !is_suspicious || Inflation().Gives(packed.bytes, packed.size, nullptr);
    case PackedSection::Method::kZstd:
      return MayGive(packed.bytes, packed.size);
    default:
      return true;
  }
}

bool Unpack(const PackedSection& packed, char* to) {
  switch (packed.method) {
    case PackedSection::Method::kZlib:
      return Inflation().Gives(packed.bytes, packed.size, to);
    case PackedSection::Method::kZstd:
      return ZSTD_decompress(to, packed.size, packed.bytes.data(), packed.bytes.size()) ==
             packed.size;
    default:
      std::memcpy(to, packed.bytes.data(), packed.bytes.size());
      return true;
  }
}

// All debug sections with bytes; none if none is compressed.
absl::StatusOr<std::vector<PackedSection>> PackedSections(const ElfFile& file,
                                                          absl::string_view content) {
  std::vector<PackedSection> sections;
  bool is_compressed = false;
  for (const ElfSection& section : file.sections) {
    const bool is_debug = absl::StartsWith(section.name, ".debug_") ||
                          absl::StartsWith(section.name, ".zdebug_") ||
                          section.name == ".gnu_debugaltlink";
    if (!is_debug || section.header.sh_type == SHT_NOBITS || section.header.sh_type == SHT_NULL) {
      continue;
    }
    ASSIGN_OR_RETURN(
        PackedSection packed,
        Unwrap(file, section, content.substr(section.header.sh_offset, section.header.sh_size)));
    is_compressed = is_compressed || packed.method != PackedSection::Method::kNone;
    sections.push_back(std::move(packed));
  }
  if (!is_compressed) sections.clear();
  return sections;
}

// Their size in total, if they may be decompressed.
absl::StatusOr<uint64_t> CheckedSize(const ElfFile& file, uint64_t file_size,
                                     const std::vector<PackedSection>& sections) {
  uint64_t claims = 0;
  uint64_t plain = 0;  // not compressed, each within the file
  for (const PackedSection& packed : sections) {
    if (packed.method == PackedSection::Method::kNone) {
      plain += packed.size;
    } else if (__builtin_add_overflow(claims, packed.size, &claims)) {
      claims = UINT64_MAX;
    }
  }
  const uint64_t unsuspicious = 2 * file_size + kUnsuspiciousBytes;
  if (claims > std::max(unsuspicious, kMostInflation * file_size) || plain > file_size ||
      sections.size() >= SHN_LORESERVE - 2) {
    return absl::DataLossError(absl::StrFormat(
        "%s: %d debug sections declare %d bytes once decompressed, and have %d uncompressed ones, "
        "more than a file of %d bytes can have: the file is damaged; build it again",
        file.path, sections.size(), claims, plain, file_size));
  }
  for (const PackedSection& packed : sections) {
    if (!IsSound(packed, claims > unsuspicious)) {
      return DamagedSection(file, packed);
    }
  }
  return claims + plain;
}

// Writes headers in the class and byte order of a file.
class HeaderWriter {
 public:
  explicit HeaderWriter(const ElfFile& file)
      : is_32_bit_(file.header.e_ident[EI_CLASS] == ELFCLASS32),
        big_endian_(file.header.e_ident[EI_DATA] == ELFDATA2MSB) {}

  void Number(uint64_t value, size_t size) {
    for (size_t i = 0; i < size; ++i) {
      bytes_ += static_cast<char>(value >> 8 * (big_endian_ ? size - 1 - i : i));
    }
  }
  void Word(uint64_t value) { Number(value, is_32_bit_ ? 4 : 8); }

  // Of a linked file without segments.
  void File(const ElfFile& file, uint64_t section_headers, size_t sections) {
    bytes_.append(reinterpret_cast<const char*>(file.header.e_ident), EI_NIDENT);
    Number(ET_DYN, 2);
    Number(file.header.e_machine, 2);
    Number(EV_CURRENT, 4);
    Word(0);
    Word(0);
    Word(section_headers);
    Number(file.header.e_flags, 4);
    Number(is_32_bit_ ? sizeof(Elf32_Ehdr) : sizeof(Elf64_Ehdr), 2);
    Number(0, 2);
    Number(0, 2);
    Number(is_32_bit_ ? sizeof(Elf32_Shdr) : sizeof(Elf64_Shdr), 2);
    Number(sections, 2);
    Number(sections - 1, 2);  // which has the names
  }

  void Section(uint64_t name, uint32_t type, uint64_t offset, uint64_t size) {
    Number(name, 4);
    Number(type, 4);
    Word(0);
    Word(0);
    Word(offset);
    Word(size);
    Number(0, 4);
    Number(0, 4);
    Word(1);
    Word(0);
  }

  std::string Take() { return std::exchange(bytes_, {}); }

 private:
  const bool is_32_bit_;
  const bool big_endian_;
  std::string bytes_;
};

// A file with these sections' headers and names, whose first `header` bytes and contents, `size`
// bytes from there on, are to be filled.
std::string HeadersBehind(const ElfFile& file, const std::vector<PackedSection>& sections,
                          uint64_t header, uint64_t size) {
  HeaderWriter writer(file);
  std::string names(1, '\0');
  writer.Section(0, SHT_NULL, 0, 0);
  uint64_t offset = header;
  for (const PackedSection& packed : sections) {
    writer.Section(names.size(), packed.section->header.sh_type, offset, packed.size);
    absl::StrAppend(&names, packed.name, absl::string_view("\0", 1));
    offset += packed.size;
  }
  const std::string last = ".shstrtab";
  const size_t last_name = names.size();
  names += last + '\0';
  const size_t headers =
      (sections.size() + 2) *
      (file.header.e_ident[EI_CLASS] == ELFCLASS32 ? sizeof(Elf32_Shdr) : sizeof(Elf64_Shdr));
  writer.Section(last_name, SHT_STRTAB, header + size + headers, names.size());
  return writer.Take() + names;
}

}  // namespace

absl::StatusOr<std::unique_ptr<ElfFile>> InflateDebugSections(const ElfFile& file) {
  size_t file_size = 0;
  const char* raw = elf_rawfile(file.elf.get(), &file_size);
  if (raw == nullptr) return nullptr;
  ASSIGN_OR_RETURN(const std::vector<PackedSection> sections,
                   PackedSections(file, absl::string_view(raw, file_size)));
  if (sections.empty()) return nullptr;
  ASSIGN_OR_RETURN(uint64_t size, CheckedSize(file, file_size, sections));
  size = (size + 7) / 8 * 8;  // aligns the section headers
  HeaderWriter writer(file);
  writer.File(file, 0, sections.size() + 2);
  const size_t header = writer.Take().size();
  const std::string end = HeadersBehind(file, sections, header, size);
  // Not initialized: pages that damaged sections do not reach take no memory.
  const std::shared_ptr<char[]> image(new char[header + size + end.size()]);
  writer.File(file, header + size, sections.size() + 2);
  const std::string begin = writer.Take();
  std::memcpy(image.get(), begin.data(), begin.size());
  char* to = image.get() + header;
  for (const PackedSection& packed : sections) {
    if (!Unpack(packed, to)) return DamagedSection(file, packed);
    to += packed.size;
  }
  std::memcpy(image.get() + header + size, end.data(), end.size());
  return OpenElfMemory({image.get(), header + size + end.size()}, image, file.path);
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

using OpenFile = absl::StatusOr<std::unique_ptr<ElfFile>>(const std::string& path);

std::unique_ptr<ElfFile> ByBuildId(const std::string& build_id, const std::string& folder,
                                   OpenFile* open) {
  if (build_id.size() < 4) return nullptr;
  const std::string name =
      absl::StrCat(".build-id/", build_id.substr(0, 2), "/", build_id.substr(2), ".debug");
  for (const std::string& place :
       {folder + name, folder + ".debug/" + name, absl::StrCat(kDebugFolder, "/", name)}) {
    auto found = open(place);
    if (found.ok() && BuildIdOf(**found) == build_id) return *std::move(found);
  }
  return nullptr;
}

// With a slash at its end; empty: the current one.
std::string FolderOf(const ElfFile& file) { return file.path.substr(0, file.path.rfind('/') + 1); }

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
  const std::string folder = FolderOf(file);
  std::unique_ptr<ElfFile> found = ByBuildId(BuildIdOf(file), folder, OpenElfFile);
  return found != nullptr ? std::move(found) : ByLink(file, folder);
}

absl::Status OpenSupplement(ElfFile& file) {
  const absl::string_view link = DebugSection(file, "gnu_debugaltlink");
  const size_t end = link.find('\0');
  if (end == 0 || end == absl::string_view::npos) return absl::OkStatus();
  const std::string name(link.substr(0, end));
  const std::string build_id = absl::BytesToHexString(link.substr(end + 1));
  const std::string folder = FolderOf(file);
  absl::StatusOr<std::unique_ptr<ElfFile>> found =
      OpenSharedDebugFile(name.front() == '/' ? name : folder + name);
  if (!found.ok() || BuildIdOf(**found) != build_id) {
    found = ByBuildId(build_id, folder, OpenSharedDebugFile);
  }
  if (*found == nullptr) return absl::OkStatus();
  ASSIGN_OR_RETURN(file.supplement, InflateDebugSections(**found));
  if (file.supplement == nullptr) file.supplement = *std::move(found);
  return absl::OkStatus();
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
