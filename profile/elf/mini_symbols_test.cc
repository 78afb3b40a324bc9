#include "profile/elf/mini_symbols.h"

#include <gtest/gtest.h>
#include <lzma.h>

#include <memory>
#include <string>
#include <utility>

#include "profile/testing/elf_builder.h"

namespace gprofhub::profile {
namespace {

std::string Xz(const std::string& bytes) {
  std::string packed(lzma_stream_buffer_bound(bytes.size()), '\0');
  size_t size = 0;
  EXPECT_EQ(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, nullptr,
                                    reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(),
                                    reinterpret_cast<uint8_t*>(&packed[0]), &size, packed.size()),
            LZMA_OK);
  packed.resize(size);
  return packed;
}

std::string FileWith(std::string section) {
  ElfBuilder builder;
  builder.Add({".gnu_debugdata", SHT_PROGBITS, 0, 0, std::move(section)});
  return builder.Bytes();
}

absl::StatusOr<std::unique_ptr<ElfFile>> Open(const std::string& bytes) {
  const auto file = OpenElfBytes(bytes, "library.so");
  EXPECT_TRUE(file.ok()) << file.status();
  return OpenMiniSymbols(**file);
}

TEST(MiniSymbols, AreAFileWithinTheFile) {
  ElfBuilder inner;
  inner.Add({".text", SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, ""});
  const auto mini = Open(FileWith(Xz(inner.Bytes())));
  ASSERT_TRUE(mini.ok()) << mini.status();
  ASSERT_NE(*mini, nullptr);
  EXPECT_EQ((*mini)->sections.at(1).name, ".text");
}

TEST(MiniSymbols, AreAbsentFromMostFiles) {
  const auto mini = Open(ElfBuilder().Bytes());
  ASSERT_TRUE(mini.ok()) << mini.status();
  EXPECT_EQ(*mini, nullptr);
}

TEST(MiniSymbols, ThatDoNotInflateAreDamage) {
  const std::string packed = Xz(ElfBuilder().Bytes());
  for (size_t size = 0; size < packed.size(); ++size) {
    EXPECT_EQ(Open(FileWith(packed.substr(0, size))).status().code(), absl::StatusCode::kDataLoss)
        << size;
  }
  EXPECT_EQ(Open(FileWith("no xz")).status().code(), absl::StatusCode::kDataLoss);
  EXPECT_FALSE(Open(FileWith(Xz("no ELF file"))).ok());
}

// 64 MiB of zeros compress to 10 KiB: the size of the file limits the inflated size.
TEST(MiniSymbols, ThatInflateToMuchMoreAreDamage) {
  EXPECT_EQ(Open(FileWith(Xz(std::string(64 << 20, '\0')))).status().code(),
            absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace gprofhub::profile
