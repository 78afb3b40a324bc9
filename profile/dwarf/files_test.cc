#include "profile/dwarf/files.h"

#include <gtest/gtest.h>

#include "profile/testing/dwarf_builder.h"

namespace gprofhub::profile {
namespace {

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

}  // namespace
}  // namespace gprofhub::profile
