#include "profile/elf/section_count.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "absl/strings/str_cat.h"
#include "profile/testing/elf_builder.h"

namespace gprofhub::profile {
namespace {

using ::testing::HasSubstr;

// Checks a file of `file_size` bytes that begins with `bytes`. The rest cannot be read.
absl::Status Check(const std::string& bytes, uint64_t file_size) {
  return CheckSectionCount("dir/program", file_size, [&](uint64_t offset, void* to, size_t size) {
    EXPECT_LE(offset, file_size);
    EXPECT_LE(size, file_size - offset);
    return offset <= bytes.size() && bytes.copy(static_cast<char*>(to), size, offset) == size;
  });
}

class SectionCount : public ::testing::TestWithParam<std::tuple<int, int>> {
 protected:
  SectionCount()
      : is_64_bit_(std::get<0>(GetParam()) == ELFCLASS64),
        builder_(std::get<0>(GetParam()), std::get<1>(GetParam())) {}

  void Replace(std::string& bytes, size_t at, const std::string& number) const {
    bytes.replace(at, number.size(), number);
  }

  // A header with the section count `count` in its own field.
  std::string WithCount(uint16_t count) const {
    std::string bytes = builder_.Bytes();
    Replace(bytes, is_64_bit_ ? offsetof(Elf64_Ehdr, e_shnum) : offsetof(Elf32_Ehdr, e_shnum),
            builder_.Number(count, 2));
    return bytes;
  }

  // A header whose count is in the first section header, at `table`.
  std::string WithLargeCount(uint64_t count, uint64_t table) const {
    std::string bytes = WithCount(0);
    Replace(bytes, is_64_bit_ ? offsetof(Elf64_Ehdr, e_shoff) : offsetof(Elf32_Ehdr, e_shoff),
            builder_.Address(table));
    bytes.resize(4096);
    Replace(bytes,
            1024 + (is_64_bit_ ? offsetof(Elf64_Shdr, sh_size) : offsetof(Elf32_Shdr, sh_size)),
            builder_.Address(count));
    return bytes;
  }

  const bool is_64_bit_;
  const ElfBuilder builder_;
};

TEST_P(SectionCount, MayBe1024InAnyFile) {
  EXPECT_TRUE(Check(WithCount(1024), 4096).ok());
  const absl::Status status = Check(WithCount(1025), 4096);
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
  EXPECT_THAT(std::string(status.message()),
              HasSubstr(absl::StrCat("dir/program: the header at byte ", is_64_bit_ ? 60 : 48,
                                     " claims 1025 sections in a file of 4096 bytes")));
}

TEST_P(SectionCount, MayBeOneForEach512Bytes) {
  EXPECT_TRUE(Check(WithCount(2000), 2000 * 512).ok());
  EXPECT_FALSE(Check(WithCount(2000), 2000 * 512 - 1).ok());
}

TEST_P(SectionCount, StandsInTheFirstSectionHeaderWhereItIsLarge) {
  EXPECT_TRUE(Check(WithLargeCount(1024, 1024), 4096).ok());
  const absl::Status status = Check(WithLargeCount(70'000, 1024), 4096);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr(absl::StrCat("the header at byte ", 1024 + (is_64_bit_ ? 32 : 20),
                                     " claims 70000 sections")));
}

TEST_P(SectionCount, IsForElfutilsToRefuseWhereItsHeaderLiesOutside) {
  const uint64_t header = is_64_bit_ ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
  for (const uint64_t table : {uint64_t{0}, 4096 - header + 1, uint64_t{4096}, UINT64_MAX}) {
    EXPECT_TRUE(Check(WithLargeCount(70'000, table), 4096).ok()) << table;
  }
}

TEST_P(SectionCount, OfAFileThatCannotBeReadIsNotKnown) {
  EXPECT_TRUE(Check("", 4096).ok());
  EXPECT_TRUE(Check(WithLargeCount(70'000, 1024).substr(0, 1000), 4096).ok());
}

TEST_P(SectionCount, IsNotLookedForInAShortHeader) {
  const std::string bytes = WithCount(2000);
  const size_t header = is_64_bit_ ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
  for (size_t size = 0; size < header; ++size) {
    EXPECT_TRUE(Check(bytes.substr(0, size), size).ok()) << size;
  }
  EXPECT_FALSE(Check(bytes.substr(0, header), header).ok());
}

INSTANTIATE_TEST_SUITE_P(All, SectionCount,
                         ::testing::Combine(::testing::Values(ELFCLASS32, ELFCLASS64),
                                            ::testing::Values(ELFDATA2LSB, ELFDATA2MSB)));

TEST(SectionCountOfOtherFiles, IsNotLookedFor) {
  EXPECT_TRUE(Check("", 0).ok());
  EXPECT_TRUE(Check(std::string(4096, '\xff'), 4096).ok());
}

}  // namespace
}  // namespace gprofhub::profile
