#include "profile/elf/line_table.h"

#include <elfutils/libdw.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "profile/elf/file.h"
#include "profile/testing/dwarf_builder.h"
#include "tests/fuzz/hostile_files.h"

namespace gprofhub::profile {

namespace {

TEST(DwarfCursor, TakesNumbersInTheFilesByteOrder) {
  const std::string bytes("\x01\x02\x03\x04\x05\x06\x07\x08", 8);
  DwarfCursor little(bytes, false);
  DwarfCursor big(bytes, true);
  EXPECT_EQ(little.Number(2), 0x0201u);
  EXPECT_EQ(big.Number(2), 0x0102u);
  EXPECT_EQ(little.Number(0), 0u);
  EXPECT_EQ(little.Number(6), 0x080706050403u);
  EXPECT_EQ(DwarfCursor(bytes, false).Number(8), 0x0807060504030201u);
  EXPECT_TRUE(little.rest().empty());
  EXPECT_TRUE(little.ok());
}

TEST(DwarfCursor, WhatLiesBeyondTheEndIsZeroAndTakesTheRest) {
  const std::string bytes("\x01\x02\x03", 3);
  DwarfCursor number(bytes, false);
  EXPECT_EQ(number.Number(4), 0u);
  EXPECT_FALSE(number.ok());
  EXPECT_TRUE(number.rest().empty());
  EXPECT_EQ(number.Number(1), 0u);
  EXPECT_EQ(number.Unsigned(), 0u);
  EXPECT_EQ(number.String(), "");
  EXPECT_FALSE(number.ok());

  DwarfCursor block(bytes, false);
  EXPECT_EQ(block.Bytes(UINT64_MAX), "");
  EXPECT_FALSE(block.ok());
  DwarfCursor whole(bytes, false);
  EXPECT_EQ(whole.Bytes(3), bytes);
  EXPECT_TRUE(whole.ok());
}

TEST(DwarfCursor, TakesStringsWithTheirEnd) {
  const std::string bytes("one\0\0end", 8);
  DwarfCursor cursor(bytes, false);
  EXPECT_EQ(cursor.String(), "one");
  EXPECT_EQ(cursor.String(), "");
  EXPECT_TRUE(cursor.ok());
  EXPECT_EQ(cursor.String(), "");
  EXPECT_FALSE(cursor.ok());
  EXPECT_TRUE(cursor.rest().empty());
}

uint64_t Unsigned(const std::string& bytes) {
  DwarfCursor cursor(bytes, true);
  const uint64_t value = cursor.Unsigned();
  EXPECT_TRUE(cursor.ok());
  EXPECT_TRUE(cursor.rest().empty());
  return value;
}

int64_t Signed(const std::string& bytes) {
  DwarfCursor cursor(bytes, true);
  const int64_t value = cursor.Signed();
  EXPECT_TRUE(cursor.ok());
  EXPECT_TRUE(cursor.rest().empty());
  return value;
}

// Section 7.6 of DWARF 5 has most of these.
TEST(DwarfCursor, TakesLeb128) {
  EXPECT_EQ(Unsigned("\x02"), 2u);
  EXPECT_EQ(Unsigned("\x80\x01"), 128u);
  EXPECT_EQ(Unsigned("\xb9\x64"), 12857u);
  EXPECT_EQ(Unsigned("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), UINT64_MAX);
  EXPECT_EQ(Signed("\x7e"), -2);
  EXPECT_EQ(Signed(std::string("\xff\x00", 2)), 127);
  EXPECT_EQ(Signed("\x80\x7f"), -128);
  EXPECT_EQ(Signed("\x80\x01"), 128);
  EXPECT_EQ(Signed("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f"), INT64_MIN);
  EXPECT_EQ(Signed("\xff\xff\xff\xff\xff\xff\xff\xff\x7f"), -1);
}

TEST(DwarfCursor, OfLargerLeb128TakesTheLowest64Bits) {
  EXPECT_EQ(Unsigned("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f"), UINT64_MAX);
  EXPECT_EQ(Unsigned(std::string("\x85") + std::string(100, '\x80') + "\x01"), 5u);
}

TEST(DwarfCursor, Leb128WithoutEndIsBeyondIt) {
  DwarfCursor cursor("\x80\x80\x80", false);
  EXPECT_EQ(cursor.Unsigned(), 0u);
  EXPECT_FALSE(cursor.ok());
  EXPECT_TRUE(cursor.rest().empty());
}

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::unique_ptr<ElfFile> WithLines(const std::string& lines) {
  ElfBuilder elf;
  elf.Add({".debug_line", SHT_PROGBITS, 0, 0, lines});
  auto file = OpenElfBytes(elf.Bytes(), "dir/program");
  EXPECT_TRUE(file.ok()) << file.status();
  return *std::move(file);
}

// "OFFSET: DIRECTORIES; FILES" of each table.
std::vector<std::string> Tables(const std::string& lines) {
  std::vector<std::string> tables;
  const absl::Status status = ForEachLineTable(*WithLines(lines), [&](const LineTable& table) {
    std::string& text = tables.emplace_back(absl::StrCat(table.offset, ":"));
    for (const absl::string_view directory : table.directories)
      absl::StrAppend(&text, " ", directory);
    text += ";";
    for (const LineFile& file : table.files)
      absl::StrAppend(&text, " ", file.directory, "/", file.name);
  });
  if (!status.ok()) tables.emplace_back(status.message());
  return tables;
}

TEST(LineTables, HaveTheirFilesAndDirectories) {
  const std::string first = BuiltLineTable("", {"a.c", "b.c"}, "src");
  EXPECT_THAT(Tables(first + BuiltLineTable("", {}, "include")),
              ElementsAre("0: src; 1/a.c 1/b.c", absl::StrCat(first.size(), ": include;")));
  EXPECT_THAT(Tables(""), ElementsAre());
}

TEST(LineTables, HaveNumbersFrom1OnUpToDwarf4) {
  LineTable table;
  table.version = 4;
  EXPECT_EQ(table.Place(1), 0u);
  EXPECT_EQ(table.Place(0), UINT64_MAX);
  table.version = 5;
  EXPECT_EQ(table.Place(0), 0u);
}

TEST(LineTables, BeforeADamagedOneAreVisited) {
  const std::string sound = BuiltLineTable("");
  const std::vector<std::string> tables = Tables(sound + sound.substr(0, sound.size() - 1));
  ASSERT_EQ(tables.size(), 2u);
  EXPECT_THAT(tables[1], HasSubstr(absl::StrCat(
                             "dir/program: the table at byte ", sound.size(),
                             " of .debug_line is damaged (the end is beyond the section)")));
}

TEST(LineTables, ThatTheVisitorFindsDamagedAreAnError) {
  int tables = 0;
  const absl::Status status =
      ReadLineTables(*WithLines(BuiltLineTable("") + BuiltLineTable("")), true, [&](LineTable&) {
        ++tables;
        return "its program is odd";
      });
  EXPECT_EQ(tables, 1);
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), HasSubstr("is damaged (its program is odd)"));
}

TEST(LineTables, AreReadWithoutTheirNames) {
  const absl::Status status =
      ReadLineTables(*WithLines(BuiltLineTable("\1")), false, [&](LineTable& table) {
        EXPECT_TRUE(table.directories.empty());
        EXPECT_TRUE(table.files.empty());
        EXPECT_EQ(table.program, "\1");
        return nullptr;
      });
  EXPECT_TRUE(status.ok()) << status;
}

TEST(LineTables, CutAnywhereAreAnError) {
  const std::string sound = BuiltLineTable("\1");
  for (size_t size = 1; size < sound.size(); ++size) {
    EXPECT_THAT(Tables(sound.substr(0, size)), ElementsAre(HasSubstr("is damaged"))) << size;
  }
}

// A file with units compiled in these directories, the first with the line table at byte 0, the
// second with that at 1000, and so on.
class Units {
 public:
  explicit Units(const std::vector<std::string>& folders) {
    DwarfBuilder dwarf;
    for (size_t i = 0; i < folders.size(); ++i) {
      dwarf.BeginUnit({Offset(DW_AT_stmt_list, 1000 * i), Text(DW_AT_comp_dir, folders[i])});
      dwarf.EndUnit();
    }
    ElfBuilder elf;
    dwarf.AddTo(elf);
    elf.Add({".debug_line", SHT_PROGBITS, 0, 0, std::string(2000, '\0')});
    auto file = OpenElfBytes(elf.Bytes(), "dir/program");
    EXPECT_TRUE(file.ok()) << file.status();
    file_ = *std::move(file);
    dwarf_ = OpenDwarf(*file_);
    EXPECT_NE(dwarf_, nullptr);
  }

  Dwarf* dwarf() const { return dwarf_.get(); }

 private:
  std::unique_ptr<ElfFile> file_;
  DwarfHandle dwarf_;
};

LineTable Table(int version, std::vector<absl::string_view> directories,
                std::vector<LineFile> files, uint64_t offset = 0) {
  LineTable table;
  table.offset = offset;
  table.version = version;
  table.directories = std::move(directories);
  table.files = std::move(files);
  return table;
}

// The name of the first file.
std::string NameOf(Dwarf* dwarf, const LineTable& table, bool absolute = false) {
  std::vector<std::string> files = {""};
  FileNames names(dwarf, files, absolute);
  return files.at(names.IndexOf(table, table.version < 5 ? 1 : 0));
}

TEST(FileNames, AreRelativeBelowTheUnitsFolder) {
  const Units units({"/home/build"});
  for (const bool absolute : {false, true}) {
    const std::string base = absolute ? "/home/build/" : "";
    const auto name = [&](const LineTable& table) {
      return NameOf(units.dwarf(), table, absolute);
    };
    EXPECT_EQ(name(Table(4, {"src"}, {{"a.c", 0}})), base + "a.c");
    EXPECT_EQ(name(Table(4, {"src"}, {{"a.c", 1}})), base + "src/a.c");
    EXPECT_EQ(name(Table(4, {"/home/build/src"}, {{"a.c", 1}})), base + "src/a.c");
    EXPECT_EQ(name(Table(4, {"/home/build"}, {{"src/a.c", 1}})), base + "src/a.c");
    EXPECT_EQ(name(Table(5, {"/home/build", "src"}, {{"a.c", 0}})), base + "a.c");
    EXPECT_EQ(name(Table(5, {"/home/build", "src"}, {{"a.c", 1}})), base + "src/a.c");
    EXPECT_EQ(name(Table(4, {}, {{"/home/build/a.c", 0}})), base + "a.c");
  }
}

TEST(FileNames, OfOtherFoldersStayAsTheyAre) {
  const Units units({"/home/build"});
  for (const bool absolute : {false, true}) {
    const auto name = [&](const LineTable& table) {
      return NameOf(units.dwarf(), table, absolute);
    };
    EXPECT_EQ(name(Table(4, {"/usr/include"}, {{"a.h", 1}})), "/usr/include/a.h");
    EXPECT_EQ(name(Table(4, {"/workshop"}, {{"a.h", 1}})), "/workshop/a.h");
    EXPECT_EQ(name(Table(4, {"/usr/include"}, {{"/else/a.h", 1}})), "/else/a.h");
  }
}

TEST(FileNames, OfFoldersThatTheTableLacksAreThoseOfTheUnitsOwn) {
  const Units units({"/home/build/"});
  EXPECT_EQ(NameOf(units.dwarf(), Table(4, {"src"}, {{"a.c", 7}})), "a.c");
  EXPECT_EQ(NameOf(units.dwarf(), Table(5, {"/home/build"}, {{"a.c", UINT64_MAX}}), true),
            "/home/build/a.c");
}

TEST(FileNames, OfATableOfNoUnitAreRelativeToItsFirstFolderFromDwarf5On) {
  const Units units({"/home/build"});
  const uint64_t kOther = 5;
  EXPECT_EQ(NameOf(units.dwarf(), Table(5, {"/else"}, {{"a.c", 0}}, kOther)), "a.c");
  EXPECT_EQ(NameOf(units.dwarf(), Table(4, {"/else"}, {{"a.c", 1}}, kOther)), "/else/a.c");
  EXPECT_EQ(NameOf(nullptr, Table(5, {"/else", "src"}, {{"a.c", 1}}), true), "/else/src/a.c");
  EXPECT_EQ(NameOf(nullptr, Table(5, {}, {{"a.c", 0}}), true), "a.c");
}

// -ffile-prefix-map=$PWD= removes the unit's directory, but the table has it.
TEST(FileNames, OfAUnitWhoseFolderIsEmptyAreRelativeToTheTablesFirst) {
  const Units units({""});
  EXPECT_EQ(NameOf(units.dwarf(), Table(5, {"/home/build", "src"}, {{"a.c", 0}})), "a.c");
  EXPECT_EQ(NameOf(units.dwarf(), Table(5, {"", "src"}, {{"a.c", 0}})), "a.c");
}

TEST(FileNames, HaveOneIndexWhicheverTableHasThem) {
  const Units units({"/home/build", "/home/build"});
  std::vector<std::string> files = {"", "known.c"};
  FileNames names(units.dwarf(), files, false);
  const LineTable one = Table(4, {"src"}, {{"a.c", 1}, {"known.c", 0}});
  const LineTable other = Table(5, {"/home/build", "src"}, {{"b.c", 0}, {"a.c", 1}}, 1000);
  EXPECT_EQ(names.IndexOf(one, 1), 2u);
  EXPECT_EQ(names.IndexOf(one, 2), 1u);
  EXPECT_EQ(names.IndexOf(other, 0), 3u);
  EXPECT_EQ(names.IndexOf(other, 1), 2u);
  EXPECT_EQ(names.IndexOf(one, 1), 2u);
  EXPECT_EQ(files, (std::vector<std::string>{"", "known.c", "src/a.c", "b.c"}));
}

TEST(FileNames, OfNumbersThatTheTableLacksAreUnknown) {
  std::vector<std::string> files = {""};
  FileNames names(nullptr, files, false);
  const LineTable old = Table(4, {}, {{"a.c", 0}});
  for (const uint64_t number : {uint64_t{0}, uint64_t{2}, UINT64_MAX}) {
    EXPECT_EQ(names.IndexOf(old, number), 0u) << number;
  }
  EXPECT_EQ(names.IndexOf(Table(5, {}, {{"a.c", 0}}, 9), 1), 0u);
  EXPECT_EQ(files.size(), 1u);
}

TEST(DwarfUnits, OfCompiledCodeAreVisitedUpToDamage) {
  DwarfBuilder dwarf;
  for (int i = 0; i < 3; ++i) {
    dwarf.BeginUnit();
    dwarf.EndUnit();
  }
  for (const bool is_damaged : {false, true}) {
    ElfBuilder elf;
    const std::string more = is_damaged ? std::string("\x20") + "damage" : "";
    elf.Add({".debug_info", SHT_PROGBITS, 0, 0, dwarf.Info() + more});
    elf.Add({".debug_abbrev", SHT_PROGBITS, 0, 0, dwarf.Abbreviations()});
    const auto file = OpenElfBytes(elf.Bytes(), "dir/program");
    ASSERT_TRUE(file.ok()) << file.status();
    int units = 0;
    const absl::Status status =
        ForEachDwarfUnit(**file, OpenDwarf(**file).get(), [&](Dwarf_Die* die) {
          EXPECT_EQ(dwarf_tag(die), DW_TAG_compile_unit);
          ++units;
        });
    EXPECT_EQ(units, 3);
    EXPECT_EQ(status.code(), is_damaged ? absl::StatusCode::kDataLoss : absl::StatusCode::kOk)
        << status;
  }
}

TEST(DwarfHandles, AreNullWithoutDebugInformation) {
  const auto file = OpenElfBytes(ElfBuilder().Bytes(), "dir/program");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(OpenDwarf(**file), nullptr);
}

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::unique_ptr<ElfFile> Opened(absl::StatusOr<std::unique_ptr<ElfFile>> file) {
  EXPECT_TRUE(file.ok()) << file.status();
  return file.ok() ? *std::move(file) : nullptr;
}

struct Row {
  uint64_t address;
  bool ends_sequence;
  uint32_t line;
  std::string file;

  auto Key() const { return std::tie(address, ends_sequence, line, file); }
  bool operator<(const Row& other) const { return Key() < other.Key(); }
};

std::vector<Row> RowsOfLibdw(Dwarf* dwarf) {
  std::vector<Row> rows;
  Dwarf_Off next = 0;
  Dwarf_CU* unit = nullptr;
  Dwarf_Files* files = nullptr;
  Dwarf_Lines* lines = nullptr;
  size_t file_count = 0;
  size_t count = 0;
  while (dwarf_next_lines(dwarf, next, &next, &unit, &files, &file_count, &lines, &count) == 0) {
    for (size_t i = 0; i < count; ++i) {
      Dwarf_Line* const line = dwarf_onesrcline(lines, i);
      Row row;
      int number = 0;
      EXPECT_EQ(dwarf_lineaddr(line, &row.address), 0);
      EXPECT_EQ(dwarf_lineno(line, &number), 0);
      EXPECT_EQ(dwarf_lineendsequence(line, &row.ends_sequence), 0);
      row.line = static_cast<uint32_t>(number);
      row.file = dwarf_linesrc(line, nullptr, nullptr);
      rows.push_back(row);
    }
  }
  return rows;
}

std::string FileOf(const LineTable& table, uint64_t number) {
  const size_t first = table.version < 5 ? 1 : 0;
  const LineFile& file = table.files.at(number - first);
  std::string name(file.name);
  if (absl::StartsWith(name, "/") || file.directory < first) return name;
  return absl::StrCat(table.directories.at(file.directory - first), "/", name);
}

std::vector<Row> RowsOf(const ElfFile& file) {
  std::vector<Row> rows;
  const absl::Status status =
      ForEachLineRow(file, [&](const LineTable& table, const LineTableRow& row) {
        rows.push_back({row.address, row.ends_sequence, row.line, FileOf(table, row.file)});
      });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_TRUE(CheckLineTables(file).ok());
  return rows;
}

class LinesOfPrograms : public ::testing::TestWithParam<std::string> {};

TEST_P(LinesOfPrograms, AreThoseThatLibdwReads) {
  const auto file = Opened(OpenElfFile(GetParam()));
  ASSERT_NE(file, nullptr);
  const DwarfHandle dwarf = OpenDwarf(*file);
  std::vector<Row> expected = RowsOfLibdw(dwarf.get());
  std::vector<Row> rows = RowsOf(*file);
  ASSERT_FALSE(rows.empty());
  ASSERT_EQ(rows.size(), expected.size());
  // Before DWARF 5, libdw prepends the unit's directory to relative names.
  const auto by_place = [](const Row& a, const Row& b) {
    return std::tie(a.address, a.ends_sequence, a.line) <
           std::tie(b.address, b.ends_sequence, b.line);
  };
  std::stable_sort(expected.begin(), expected.end(), by_place);
  std::stable_sort(rows.begin(), rows.end(), by_place);
  for (size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].address, expected[i].address);
    EXPECT_EQ(rows[i].ends_sequence, expected[i].ends_sequence);
    EXPECT_EQ(rows[i].line, expected[i].line);
    EXPECT_TRUE(absl::EndsWith(expected[i].file, rows[i].file))
        << expected[i].file << " " << rows[i].file;
  }
}

std::string TestData(const std::string& name) { return "profile/testdata/" + name; }
std::string Corpus(const std::string& name) { return "tests/fuzz/corpus/elf_symbols/" + name; }

INSTANTIATE_TEST_SUITE_P(All, LinesOfPrograms,
                         ::testing::Values(TestData("lines2"), TestData("lines3"),
                                           TestData("lines4"), TestData("lines5"),
                                           TestData("lines5_64bit"), TestData("compressed"),
                                           TestData("moved.debug"), Corpus("i386-dwarf5"),
                                           Corpus("powerpc-dwarf4"), Corpus("mips64-dwarf4"),
                                           Corpus("aarch64-dwarf5"), Corpus("aarch64-compressed"),
                                           Corpus("powerpc64-elfv1")));

template <typename Number>
std::string Bytes(Number number) {
  return std::string(reinterpret_cast<const char*>(&number), sizeof number);
}

// Of DWARF 4: lines from -3 to 8 at most, two names in the folder "sub"; opcodes from 13
// on are special. `operations`: how many an instruction of 4 bytes may have.
std::string Table(const std::string& program, char operations = 1) {
  const std::string names("sub\0\0one.c\0\1\0\0two.c\0\1\0\0\0", 24);
  const std::string parameters =
      std::string("\4", 1) + operations + std::string("\1\xfd\x0c\x0d\0\1\1\1\1\0\0\0\1\0\0\1", 16);
  const std::string header = parameters + names;
  const std::string rest =
      Bytes(uint16_t{4}) + Bytes(static_cast<uint32_t>(header.size())) + header + program;
  return Bytes(static_cast<uint32_t>(rest.size())) + rest;
}

const std::string kEnd("\0\1\1", 3);

std::string SetAddress(uint64_t address) { return std::string("\0\x09\x02", 3) + Bytes(address); }

std::unique_ptr<ElfFile> LineRowsWithLines(const std::string& section) {
  return Opened(OpenElfBytes(
      tests::ElfWithSection(tests::Seed("elf_symbols/x86_64-dwarf4"), ".debug_line", section),
      "dir/program"));
}

std::string Listed(const std::vector<Row>& rows) {
  std::string text;
  for (const Row& row : rows) {
    absl::StrAppend(&text, absl::Hex(row.address), " ", row.file, ":", row.line,
                    row.ends_sequence ? " end\n" : "\n");
  }
  return text;
}

TEST(LinePrograms, EachInstructionMovesWhatItNames) {
  const std::string program = SetAddress(0x1000) +              //
                              "\1"                              // copy
                              "\3\x7f\1"                        // line - 1
                              "\4\2\1"                          // file 2
                              "\2\3\1" +                        // address + 3 instructions
                              std::string("\x09\x10\0\1", 4) +  // address + 16 bytes
                              "\x08\1" +  // address + (255 - 13) / 12 instructions
                              "\x1d" +    // special: 16 beyond: 1 instruction, line - 3 + 4
                              kEnd;
  EXPECT_EQ(Listed(RowsOf(*LineRowsWithLines(Table(program)))),
            "1000 sub/one.c:1\n"
            "1000 sub/one.c:0\n"
            "1000 sub/two.c:0\n"
            "100c sub/two.c:0\n"
            "101c sub/two.c:0\n"
            "106c sub/two.c:0\n"
            "1070 sub/two.c:1\n"
            "1070 sub/two.c:1 end\n");
}

TEST(LinePrograms, SequencesBeginAnew) {
  EXPECT_EQ(
      Listed(RowsOf(*LineRowsWithLines(Table(SetAddress(0x1000) + "\4\2\3\5\1" + kEnd + "\1") +
                                       Table(SetAddress(0x20) + "\1" + kEnd)))),
      "1000 sub/two.c:6\n"
      "1000 sub/two.c:6 end\n"
      "0 sub/one.c:1\n"
      "20 sub/one.c:1\n"
      "20 sub/one.c:1 end\n");
}

TEST(LinePrograms, OperationsOfOneInstructionHaveItsAddress) {
  EXPECT_EQ(Listed(RowsOf(*LineRowsWithLines(Table("\2\1\1\2\1\1\2\4\1", 3)))),
            "0 sub/one.c:1\n"
            "0 sub/one.c:1\n"
            "8 sub/one.c:1\n");
}

TEST(LinePrograms, WhatIsUnknownIsPassedOver) {
  const std::string unknown("\0\4\x90xyz", 6);
  const std::string discriminator("\0\2\4\5", 4);
  const std::string set_column_and_isa("\5\x90\1\x0c\7", 5);
  const std::string flags("\6\7\x0a\x0b", 4);
  EXPECT_EQ(Listed(RowsOf(*LineRowsWithLines(
                Table(unknown + discriminator + set_column_and_isa + flags + "\1")))),
            "0 sub/one.c:1\n");
}

TEST(LinePrograms, FilesThatTheProgramDefines) {
  const std::string define("\0\x0b\3three.c\0\0\0\0", 13);
  EXPECT_EQ(Listed(RowsOf(*LineRowsWithLines(Table(define + "\4\3\1")))), "0 three.c:1\n");
}

std::string ErrorOf(const std::string& section) {
  const auto file = LineRowsWithLines(section);
  const absl::Status status = CheckLineTables(*file);
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(ForEachLineRow(*file, [](const LineTable&, const LineTableRow&) {}), status);
  return std::string(status.message());
}

TEST(LinePrograms, ErrorsNameTheTable) {
  const std::string sound = Table("\1");
  EXPECT_EQ(
      ErrorOf(sound + Table("\2")),
      absl::StrCat(
          "dir/program: the table at byte ", sound.size(),
          " of .debug_line is damaged (the line number program ends within an instruction): build "
          "it again, or without -g"));
  EXPECT_THAT(ErrorOf(sound.substr(0, 40)), HasSubstr("the end is beyond the section"));
  EXPECT_THAT(ErrorOf("abc"), HasSubstr("the end is beyond the section"));
  std::string changed = sound;
  changed[4] = 6;
  EXPECT_THAT(ErrorOf(changed), HasSubstr("unsupported version"));
  changed = sound;
  changed[6] = 100;
  EXPECT_THAT(ErrorOf(changed), HasSubstr("the header is longer than the table"));
  changed = sound;
  changed[6] -= 1;
  EXPECT_THAT(ErrorOf(changed), HasSubstr("the names end beyond the header"));
  changed = sound;
  changed[14] = 0;
  EXPECT_THAT(ErrorOf(changed), HasSubstr("a parameter of the rows is 0"));
  EXPECT_THAT(ErrorOf(Table(std::string("\0\x09\2\1", 4))),
              HasSubstr("the line number program ends within an instruction"));
}

// Of DWARF 5, with the given number of copies of one name, in the header's `form`.
std::string TableOfNames(char form, const std::string& name, size_t count) {
  std::string header("\1\1\1\xfd\x0c\1\0\0\1\1", 10);
  header += form;
  for (; count >= 0x80; count >>= 7) header += static_cast<char>(count | 0x80);
  header += static_cast<char>(count);
  for (size_t i = 0; i < 240; ++i) header += name;
  const std::string rest = Bytes(uint16_t{5}) + std::string("\x08\0", 2) +
                           Bytes(static_cast<uint32_t>(header.size())) + header;
  return Bytes(static_cast<uint32_t>(rest.size())) + rest;
}

TEST(LineTables, NamesOfUnknownFormAreAnError) {
  EXPECT_THAT(ErrorOf(TableOfNames('\x19', "", 1)), HasSubstr("unknown encoding of the names"));
}

TEST(LineTables, OneLongNameAgainAndAgainIsAnError) {
  constexpr char kInStrings = '\x0e';
  const auto with_names = [&](size_t size) {
    const std::string elf =
        tests::ElfWithSection(tests::Seed("elf_symbols/x86_64-dwarf4"), ".debug_line",
                              TableOfNames(kInStrings, std::string(4, '\0'), 240));
    return Opened(OpenElfBytes(
        tests::ElfWithSection(elf, ".debug_str", std::string(size, 'a') + '\0'), "dir/program"));
  };
  EXPECT_TRUE(CheckLineTables(*with_names(4000)).ok()) << CheckLineTables(*with_names(4000));
  const absl::Status status = CheckLineTables(*with_names(40000));
  EXPECT_THAT(std::string(status.message()), HasSubstr("long names are repeated"));
}

}  // namespace

}  // namespace gprofhub::profile
