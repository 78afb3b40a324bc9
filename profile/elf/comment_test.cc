#include "profile/elf/comment.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "profile/testing/elf_builder.h"

namespace gprofhub::profile {
namespace {

std::string Read(const std::string& bytes, uint32_t type = SHT_PROGBITS) {
  ElfBuilder elf;
  elf.Add({".comment", type, 0, 0, bytes});
  const auto file = OpenElfBytes(elf.Bytes(), "program");
  EXPECT_TRUE(file.ok()) << file.status();
  return CommentToolchain(**file);
}

const std::string kGcc = std::string("GCC: (Debian 12.2.0-14) 12.2.0") + '\0';
const std::string kClang = std::string("Debian clang version 14.0.6") + '\0';

TEST(CommentToolchain, IsTheOneThatTheCodeIsFrom) {
  EXPECT_EQ(Read(kGcc), "gcc 12.2.0");
  EXPECT_EQ(Read(kGcc + kClang), "clang 14.0.6");
  EXPECT_EQ(Read(kGcc + std::string("Linker: LLD 14.0.6") + '\0'), "gcc 12.2.0");
}

TEST(CommentToolchain, IsUnknownWhereItIsNotSaidOrSeveralAreNamed) {
  EXPECT_EQ(Read(""), "");
  EXPECT_EQ(Read(std::string(10, '\0')), "");
  EXPECT_EQ(Read(kGcc + std::string("GCC: (GNU) 11.1.0") + '\0'), "");
  EXPECT_EQ(Read(kGcc, SHT_NOBITS), "");
}

TEST(CommentToolchain, ReadsNoMoreThanTheBeginning) {
  EXPECT_EQ(Read(std::string(1 << 17, '\0') + kGcc), "");
  EXPECT_LE(Read(std::string(1 << 17, 'x')).size(), 300u);
}

}  // namespace
}  // namespace gprofhub::profile
