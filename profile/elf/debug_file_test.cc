#include "profile/elf/debug_file.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>

#include "profile/testing/elf_builder.h"

namespace gprofhub::profile {
namespace {

namespace fs = std::filesystem;

constexpr char kBuildId[] = "\xab\xcd\xef\x01";

uint32_t ChecksumOf(const std::string& bytes) {
  return static_cast<uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
}

BuiltSection Link(const std::string& name, uint32_t checksum) {
  std::string bytes = name + '\0';
  bytes.resize((bytes.size() + 3) / 4 * 4);
  return {".gnu_debuglink", SHT_PROGBITS, 0, 0, bytes + ElfBuilder().Number(checksum, 4)};
}

class DebugFile : public ::testing::Test {
 protected:
  DebugFile() : folder_(fs::path(::testing::TempDir()) / "programs") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~DebugFile() override { fs::remove_all(folder_); }

  void Write(const std::string& name, const std::string& bytes) const {
    const fs::path path = folder_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
  }

  // Path of the debug file found for a program, relative to the folder; empty: none.
  std::string FoundFor(const ElfBuilder& program) const {
    Write("program", program.Bytes());
    const auto file = OpenElfFile(folder_ / "program");
    EXPECT_TRUE(file.ok()) << file.status();
    const std::unique_ptr<ElfFile> found = FindDebugFile(**file);
    return found == nullptr ? "" : fs::path(found->path).lexically_relative(folder_).string();
  }

  static ElfBuilder WithBuildId(const std::string& id) {
    ElfBuilder builder;
    builder.Add(builder.BuildId(id));
    return builder;
  }

  static ElfBuilder WithLink(const std::string& name, uint32_t checksum) {
    ElfBuilder builder;
    builder.Add(Link(name, checksum));
    return builder;
  }

  const fs::path folder_;
};

TEST_F(DebugFile, IsFoundByBuildIdBesideTheProgramFirst) {
  const std::string debug = WithBuildId(kBuildId).Bytes();
  EXPECT_EQ(FoundFor(WithBuildId(kBuildId)), "");
  Write(".debug/.build-id/ab/cdef01.debug", debug);
  EXPECT_EQ(FoundFor(WithBuildId(kBuildId)), ".debug/.build-id/ab/cdef01.debug");
  Write(".build-id/ab/cdef01.debug", debug);
  EXPECT_EQ(FoundFor(WithBuildId(kBuildId)), ".build-id/ab/cdef01.debug");
}

TEST_F(DebugFile, OfAnotherBuildIdIsNotTaken) {
  Write(".build-id/ab/cdef01.debug", WithBuildId("\xab\xcd\xef\x02").Bytes());
  EXPECT_EQ(FoundFor(WithBuildId(kBuildId)), "");
  Write(".build-id/ab/cdef01.debug", ElfBuilder().Bytes());
  EXPECT_EQ(FoundFor(WithBuildId(kBuildId)), "");
  Write(".build-id/ab/cdef01.debug", "no ELF file");
  EXPECT_EQ(FoundFor(WithBuildId(kBuildId)), "");
}

TEST_F(DebugFile, OfABuildIdOfOneByteIsNotLookedFor) {
  Write(".build-id/ab/.debug", WithBuildId("\xab").Bytes());
  EXPECT_EQ(FoundFor(WithBuildId("\xab")), "");
}

TEST_F(DebugFile, IsFoundByLinkBesideTheProgramFirst) {
  ElfBuilder debug;
  debug.Add({".debug_line", SHT_PROGBITS, 0, 0, "lines"});
  const ElfBuilder program = WithLink("program.debug", ChecksumOf(debug.Bytes()));
  EXPECT_EQ(FoundFor(program), "");
  Write(".debug/program.debug", debug.Bytes());
  EXPECT_EQ(FoundFor(program), ".debug/program.debug");
  Write("program.debug", debug.Bytes());
  EXPECT_EQ(FoundFor(program), "program.debug");
}

TEST_F(DebugFile, OfAnotherChecksumIsNotTaken) {
  const std::string debug = ElfBuilder().Bytes();
  Write("program.debug", debug + "changed");
  Write(".debug/program.debug", debug);
  EXPECT_EQ(FoundFor(WithLink("program.debug", ChecksumOf(debug))), ".debug/program.debug");
  EXPECT_EQ(FoundFor(WithLink("program.debug", ChecksumOf(debug) + 1)), "");
}

TEST_F(DebugFile, ThatIsNoElfFileIsNotTaken) {
  Write("program.debug", "no ELF file");
  EXPECT_EQ(FoundFor(WithLink("program.debug", ChecksumOf("no ELF file"))), "");
}

TEST_F(DebugFile, ALinkMayNotLeadOutOfTheFolders) {
  const std::string debug = ElfBuilder().Bytes();
  Write("sub/program.debug", debug);
  EXPECT_EQ(FoundFor(WithLink("sub/program.debug", ChecksumOf(debug))), "");
  EXPECT_EQ(FoundFor(WithLink(folder_ / "sub/program.debug", ChecksumOf(debug))), "");
  EXPECT_EQ(FoundFor(WithLink("", ChecksumOf(debug))), "");
  EXPECT_EQ(FoundFor(WithLink("..", ChecksumOf(""))), "");
}

TEST_F(DebugFile, LinksThatDoNotEndAreNone) {
  ElfBuilder program;
  program.Add({".gnu_debuglink", SHT_PROGBITS, 0, 0, "program.debug"});
  EXPECT_EQ(FoundFor(program), "");
}

TEST_F(DebugFile, AProgramInMemoryHasNone) {
  Write(".build-id/ab/cdef01.debug", WithBuildId(kBuildId).Bytes());
  const auto file = OpenElfBytes(WithBuildId(kBuildId).Bytes(), (folder_ / "program").string());
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(FindDebugFile(**file), nullptr);
}

}  // namespace
}  // namespace gprofhub::profile
