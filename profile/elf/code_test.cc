#include "profile/elf/code.h"

#include <gtest/gtest.h>

#include <fstream>

#include "profile/testing/elf_builder.h"

namespace gprofhub::profile {
namespace {

constexpr uint64_t kCode = SHF_ALLOC | SHF_EXECINSTR;

absl::StatusOr<std::vector<CodeSection>> Read(const ElfBuilder& builder) {
  const std::string path = ::testing::TempDir() + "/program";
  std::ofstream(path, std::ios::binary | std::ios::trunc) << builder.Bytes();
  return ReadElfCode(path);
}

TEST(ElfCode, IsThatOfTheExecutableSectionsInTheFilesOrder) {
  ElfBuilder builder;
  builder.Add({".text", SHT_PROGBITS, kCode, 0x2000, "second"});
  builder.Add({".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0x3000, "data"});
  builder.Add({".init", SHT_PROGBITS, kCode, 0x1000, std::string("fir\0st", 6)});
  builder.Add({".comment", SHT_PROGBITS, SHF_EXECINSTR, 0, "is not loaded"});
  const auto code = Read(builder);
  ASSERT_TRUE(code.ok()) << code.status();
  ASSERT_EQ(code->size(), 2u);
  EXPECT_EQ((*code)[0].address, 0x2000u);
  EXPECT_EQ((*code)[0].bytes, "second");
  EXPECT_EQ((*code)[1].address, 0x1000u);
  EXPECT_EQ((*code)[1].bytes, std::string("fir\0st", 6));
}

TEST(ElfCode, OfSectionsWithoutBytesIsNone) {
  ElfBuilder builder;
  builder.Add({".plt", SHT_NOBITS, kCode, 0x1000, "", 0, 4096});
  builder.Add({".text", SHT_PROGBITS, kCode, 0x2000, ""});
  const auto code = Read(builder);
  ASSERT_TRUE(code.ok()) << code.status();
  EXPECT_TRUE(code->empty());
}

TEST(ElfCode, IsInTheFilesOwnByteOrder) {
  ElfBuilder builder(ELFCLASS32, ELFDATA2MSB, EM_PPC);
  builder.Add({".text", SHT_PROGBITS, kCode, 0x10, "\x01\x02\x03\x04"});
  const auto code = Read(builder);
  ASSERT_TRUE(code.ok()) << code.status();
  ASSERT_EQ(code->size(), 1u);
  EXPECT_EQ((*code)[0].bytes, "\x01\x02\x03\x04");
}

TEST(ElfCode, OfDamagedAndMissingFilesIsAnError) {
  ElfBuilder builder;
  builder.Add({".text", SHT_PROGBITS, kCode, 0x1000, "code", 0, 1'000'000});
  EXPECT_EQ(Read(builder).status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(ReadElfCode("/none/program").status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace gprofhub::profile
