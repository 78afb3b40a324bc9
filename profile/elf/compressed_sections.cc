#include "profile/elf/compressed_sections.h"

#include <gelf.h>
#include <zlib.h>

#include <array>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "profile/elf/load_number.h"

namespace gprofhub::profile {
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
        "%s: section %s at byte %d does not inflate to the %d bytes that it claims, or is one of "
        "several that claim more than a file of %d bytes has: the file is cut off or damaged; "
        "build it again",
        file.path, compressed.section->name, compressed.section->header.sh_offset, compressed.claim,
        file_size));
  }
  return absl::OkStatus();
}

}  // namespace gprofhub::profile
