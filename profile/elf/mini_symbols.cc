#include "profile/elf/mini_symbols.h"

#include <lzma.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace gprofhub::profile {
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
    return absl::ResourceExhaustedError(absl::StrCat(name, ": there is no memory for xz"));
  }
  stream.next_in = reinterpret_cast<const uint8_t*>(packed.data());
  stream.avail_in = packed.size();
  std::string bytes;
  lzma_ret result = LZMA_OK;
  while (result == LZMA_OK) {
    const uint64_t before = stream.total_out;
    if (before > most) return damaged("inflates to more than any linker writes");
    bytes.resize(std::max<uint64_t>(before + packed.size(), 2 * before));
    stream.next_out = reinterpret_cast<uint8_t*>(&bytes[before]);
    stream.avail_out = bytes.size() - before;
    result = lzma_code(&stream, LZMA_FINISH);
  }
  if (result != LZMA_STREAM_END) return damaged("does not inflate");
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
  const absl::StatusOr<Elf_Data*> data = ReadSection(file, *section);
  if (!data.ok()) return data.status();
  const absl::string_view packed(static_cast<const char*>((*data)->d_buf), (*data)->d_size);
  size_t size = 0;
  elf_rawfile(file.elf.get(), &size);
  absl::StatusOr<std::string> bytes = Inflate(packed, kMostGrowth * size + kMegabyte, file.path);
  if (!bytes.ok()) return bytes.status();
  return OpenElfBytes(*std::move(bytes), absl::StrCat(file.path, " (.gnu_debugdata)"));
}

}  // namespace gprofhub::profile
