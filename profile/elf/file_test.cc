#include "profile/elf/file.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "profile/testing/dwarf_builder.h"

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

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::unique_ptr<ElfFile> Opened(const ElfBuilder& builder) {
  auto file = OpenElfBytes(builder.Bytes(), "dir/program");
  EXPECT_TRUE(file.ok()) << file.status();
  return file.ok() ? *std::move(file) : nullptr;
}

absl::Status ErrorOf(const std::string& bytes) {
  return OpenElfBytes(bytes, "dir/program").status();
}

const BuiltSection kText{".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, "code"};

class EveryKind : public ::testing::TestWithParam<std::tuple<int, int>> {
 protected:
  static ElfBuilder Builder() {
    return ElfBuilder(std::get<0>(GetParam()), std::get<1>(GetParam()));
  }
};

TEST_P(EveryKind, HasItsSections) {
  ElfBuilder builder = Builder();
  builder.Add(kText);
  const auto file = Opened(builder);
  ASSERT_NE(file, nullptr);
  ASSERT_EQ(file->sections.size(), 3u);
  EXPECT_EQ(file->sections[0].name, "");
  EXPECT_EQ(file->sections[1].name, ".text");
  EXPECT_EQ(file->sections[1].header.sh_addr, 0x1000u);
  EXPECT_EQ(file->sections[1].header.sh_size, 4u);
  EXPECT_EQ(file->path, "dir/program");
}

TEST_P(EveryKind, HasItsSymbols) {
  ElfBuilder builder = Builder();
  const uint32_t names = builder.Add({".strtab", SHT_STRTAB, 0, 0, std::string("\0f\0g\0", 5)});
  builder.Add(
      {".symtab", SHT_SYMTAB, 0, 0, builder.Symbol(1, 0x1234, 2) + builder.Symbol(3, 8, 5), names});
  const auto file = Opened(builder);
  ASSERT_NE(file, nullptr);
  std::vector<std::string> symbols;
  const absl::Status status =
      ForEachSymbol(*file, file->sections[2],
                    [&](uint32_t index, const GElf_Sym& symbol, absl::string_view name) {
                      symbols.push_back(absl::StrCat(index, " ", name, " ", symbol.st_value, " ",
                                                     symbol.st_shndx));
                    });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_THAT(symbols, ElementsAre("0 f 4660 2", "1 g 8 5"));
}

TEST_P(EveryKind, HasItsBuildId) {
  ElfBuilder builder = Builder();
  EXPECT_EQ(BuildIdOf(*Opened(builder)), "");
  builder.Add(builder.BuildId("\x01\xab\xff"));
  EXPECT_EQ(BuildIdOf(*Opened(builder)), "01abff");
}

INSTANTIATE_TEST_SUITE_P(All, EveryKind,
                         ::testing::Combine(::testing::Values(ELFCLASS32, ELFCLASS64),
                                            ::testing::Values(ELFDATA2LSB, ELFDATA2MSB)));

TEST(ElfFile, IsReadFromDiskAsFromMemory) {
  ElfBuilder builder;
  builder.Add(kText);
  const std::string path = ::testing::TempDir() + "/program";
  std::ofstream(path, std::ios::binary) << builder.Bytes();
  const auto file = OpenElfFile(path);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ((*file)->sections.size(), 3u);
  EXPECT_GE((*file)->fd.value(), 0);
  EXPECT_LT(Opened(builder)->fd.value(), 0);
  std::remove(path.c_str());
}

TEST(ElfFile, OneThatIsMissingIsNotFound) {
  const absl::Status status = OpenElfFile("/none/program").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("/none/program: cannot be opened"));
}

TEST(ElfFile, OtherFilesAreInvalid) {
  for (const std::string& bytes : {std::string(),
                                   std::string("\x7f"
                                               "EL"),
                                   std::string(4096, 'x')}) {
    const absl::Status status = ErrorOf(bytes);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("dir/program: not an ELF file"));
  }
}

TEST(ElfFile, ObjectFilesAndCoreDumpsAreInvalid) {
  for (const uint16_t type : {ET_REL, ET_CORE}) {
    ElfBuilder builder;
    builder.type = type;
    const absl::Status status = ErrorOf(builder.Bytes());
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(absl::StrCat("(ELF type ", type, ")")));
  }
}

TEST(ElfFile, SectionsThatEndBeyondItAreDamage) {
  // The last ones wrap around the end of the address space.
  for (const uint64_t claimed : {uint64_t{1000}, UINT64_MAX - 8, UINT64_MAX}) {
    ElfBuilder builder;
    BuiltSection section = kText;
    section.claimed = claimed;
    builder.Add(section);
    const absl::Status status = ErrorOf(builder.Bytes());
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
    EXPECT_THAT(
        std::string(status.message()),
        AllOf(HasSubstr("dir/program: section 1 (.text)"),
              HasSubstr(absl::StrCat("needs ", claimed, " bytes at byte 64 but the file "))));
  }
}

TEST(ElfFile, SectionsWithoutBytesInItMayBeOfAnySize) {
  ElfBuilder builder;
  builder.Add({".bss", SHT_NOBITS, SHF_ALLOC, 0x1000, "", 0, uint64_t{1} << 40});
  EXPECT_NE(Opened(builder), nullptr);
}

TEST(ElfFile, SectionHeadersBeyondItAreDamage) {
  ElfBuilder builder;
  builder.Add(kText);
  std::string bytes = builder.Bytes();
  const std::string beyond = builder.Number(bytes.size() + 1000, 8);
  const absl::Status status =
      ErrorOf(bytes.replace(offsetof(Elf64_Ehdr, e_shoff), beyond.size(), beyond));
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
}

TEST(ElfFile, EveryCutIsAnError) {
  ElfBuilder builder;
  builder.Add(kText);
  const std::string bytes = builder.Bytes();
  for (size_t size = 0; size < bytes.size(); ++size) {
    const absl::Status status = ErrorOf(bytes.substr(0, size));
    EXPECT_THAT(status.code(),
                ::testing::AnyOf(absl::StatusCode::kInvalidArgument, absl::StatusCode::kDataLoss))
        << size << ": " << status;
  }
}

TEST(ElfFile, LongSectionNamesAreCut) {
  ElfBuilder builder;
  builder.Add({std::string(1000, 'n'), SHT_PROGBITS, 0, 0, "x"});
  EXPECT_EQ(Opened(builder)->sections[1].name, std::string(256, 'n'));
}

// The names of symbols, one per symbol.
std::vector<std::string> NamesOf(const std::string& strings, const std::vector<uint32_t>& places,
                                 uint32_t link = 1) {
  ElfBuilder builder;
  builder.Add({".strtab", SHT_STRTAB, 0, 0, strings});
  std::string table;
  for (const uint32_t place : places) table += builder.Symbol(place, 0, 1);
  builder.Add({".symtab", SHT_SYMTAB, 0, 0, table, link});
  const auto file = Opened(builder);
  std::vector<std::string> names;
  const absl::Status status = ForEachSymbol(
      *file, file->sections[2],
      [&](uint32_t, const GElf_Sym&, absl::string_view name) { names.emplace_back(name); });
  if (!status.ok()) names.emplace_back(status.message());
  return names;
}

TEST(ElfSymbolNames, ThatLieBeyondTheStringsAreEmpty) {
  EXPECT_THAT(NamesOf(std::string("\0one\0", 5), {1, 3, 4, 5, UINT32_MAX}),
              ElementsAre("one", "e", "", "", ""));
}

TEST(ElfSymbolNames, ThatDoNotEndAreEmpty) {
  EXPECT_THAT(NamesOf(std::string("\0one\0two", 8), {1, 5, 7}), ElementsAre("one", "", ""));
  EXPECT_THAT(NamesOf("endless", {0, 3}), ElementsAre("", ""));
}

TEST(ElfSymbolNames, WithoutATableOfStringsAreEmpty) {
  for (const uint32_t link : {0u, 2u, 4u, 1000u}) {  // none, symbols, beyond
    EXPECT_THAT(NamesOf(std::string("\0one\0", 5), {1}, link), ElementsAre(""));
  }
}

TEST(ElfSymbols, OfWhichTheLastIsCutAreDamage) {
  ElfBuilder builder;
  builder.Add({".symtab", SHT_SYMTAB, 0, 0, builder.Symbol(0, 0, 1) + "half"});
  const auto file = Opened(builder);
  const absl::Status status = ForEachSymbol(
      *file, file->sections[1], [](uint32_t, const GElf_Sym&, absl::string_view) { FAIL(); });
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("section .symtab cannot be read"));
}

TEST(ElfSymbolNames, ThatAreTheEndsOfOneAnotherAreDamage) {
  const std::string strings(100'000, 'n');
  const std::vector<uint32_t> places(40, 0);
  const std::vector<std::string> names = NamesOf(strings + '\0', places);
  // 16 times the strings plus a megabyte: the 27th exceeds it.
  ASSERT_EQ(names.size(), 27u);
  EXPECT_EQ(names[25], strings);
  EXPECT_THAT(names[26], HasSubstr("the names in section .symtab are the ends of one another"));
}

TEST(DebugSections, AreFoundByTheirWholeNames) {
  ElfBuilder builder;
  builder.Add({".debug_line_str", SHT_PROGBITS, 0, 0, "strings"});
  builder.Add({"debug_line", SHT_PROGBITS, 0, 0, "without a dot"});
  builder.Add({".zdebug_info", SHT_PROGBITS, 0, 0, "compressed"});
  builder.Add({".debug_line", SHT_PROGBITS, 0, 0, "lines"});
  const auto file = Opened(builder);
  EXPECT_EQ(DebugSection(*file, "debug_line"), "lines");
  EXPECT_EQ(DebugSection(*file, "debug_info"), "");
  EXPECT_EQ(DebugSection(*file, "debug_abbrev"), "");
}

TEST(DebugSections, WithoutBytesAreEmpty) {
  ElfBuilder builder;
  builder.Add({".debug_line", SHT_NOBITS, 0, 0, "", 0, 100});
  EXPECT_EQ(DebugSection(*Opened(builder), "debug_line"), "");
}

TEST(ArchitectureOfElf, HasANameOrANumber) {
  EXPECT_EQ(ArchitectureOf(*Opened(ElfBuilder())), "x86_64");
  EXPECT_EQ(ArchitectureOf(*Opened(ElfBuilder(ELFCLASS64, ELFDATA2MSB, EM_SPARCV9))), "sparc64");
  EXPECT_EQ(ArchitectureOf(*Opened(ElfBuilder(ELFCLASS32, ELFDATA2LSB, 60'000))),
            "elf-machine-60000");
}

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
