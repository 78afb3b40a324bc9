#include "profile/dwarf/line_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "profile/testing/dwarf_builder.h"

namespace gprofhub::profile {
namespace {

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
  EXPECT_THAT(tables[1],
              HasSubstr(absl::StrCat("dir/program: the table at byte ", sound.size(),
                                     " of .debug_line is damaged (it ends beyond the section)")));
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

}  // namespace
}  // namespace gprofhub::profile
