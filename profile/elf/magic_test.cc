#include "profile/elf/magic.h"

#include <gtest/gtest.h>

#include "profile/testing/elf_builder.h"

namespace gprofhub::profile {
namespace {

TEST(ElfMagic, IsWhatElfFilesBeginWith) {
  const std::string file = ElfBuilder().Bytes();
  EXPECT_TRUE(IsElf(file));
  EXPECT_TRUE(IsElf(file.substr(0, kElfMagicBytes)));
  EXPECT_FALSE(IsElf(file.substr(0, kElfMagicBytes - 1)));
  EXPECT_FALSE(IsElf(file.substr(1)));
  EXPECT_FALSE(IsElf(""));
}

}  // namespace
}  // namespace gprofhub::profile
