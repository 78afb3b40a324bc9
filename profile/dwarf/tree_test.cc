#include "profile/dwarf/tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "profile/dwarf/files.h"
#include "profile/testing/dwarf_builder.h"

namespace gprofhub::profile {
namespace {

using ::testing::ElementsAre;

// "DEPTH NAME" of each entry.
std::vector<std::string> Entries(const DwarfBuilder& dwarf) {
  ElfBuilder elf;
  dwarf.AddTo(elf);
  const auto file = OpenElfBytes(elf.Bytes(), "dir/program");
  EXPECT_TRUE(file.ok()) << file.status();
  const DwarfHandle handle = OpenDwarf(**file);
  std::vector<std::string> entries;
  const absl::Status status = ForEachDwarfUnit(**file, handle.get(), [&](Dwarf_Die* unit) {
    ForEachDwarfEntry(unit, [&](Dwarf_Die* die, int depth) {
      const char* name = dwarf_diename(die);
      entries.push_back(absl::StrCat(depth, " ", name == nullptr ? "" : name));
    });
  });
  EXPECT_TRUE(status.ok()) << status;
  return entries;
}

std::vector<DwarfAttribute> Named(const std::string& name) { return {Text(DW_AT_name, name)}; }

TEST(DwarfTree, IsVisitedInOrderWithItsDepths) {
  DwarfBuilder dwarf;
  dwarf.BeginUnit(Named("unit"));
  dwarf.Begin(DW_TAG_subprogram, Named("f"));
  dwarf.Leaf(DW_TAG_variable, Named("x"));
  dwarf.Begin(DW_TAG_lexical_block, Named("block"));
  dwarf.Leaf(DW_TAG_variable, Named("y"));
  dwarf.End();
  dwarf.End();
  dwarf.Leaf(DW_TAG_subprogram, Named("g"));
  dwarf.EndUnit();
  dwarf.BeginUnit(Named("other"));
  dwarf.EndUnit();
  EXPECT_THAT(Entries(dwarf),
              ElementsAre("0 unit", "1 f", "2 x", "2 block", "3 y", "1 g", "0 other"));
}

TEST(DwarfTree, FollowsSiblings) {
  DwarfBuilder dwarf;
  dwarf.BeginUnit(Named("unit"));
  // The entry has 5 bytes, its sibling, a leaf, 3, and its end 1.
  const uint64_t sibling = dwarf.Here() + 5 + 3 + 1;
  dwarf.Begin(DW_TAG_subprogram, {Reference(DW_AT_sibling, sibling)});
  dwarf.Leaf(DW_TAG_variable, Named("x"));
  dwarf.End();
  ASSERT_EQ(dwarf.Here(), sibling);
  dwarf.Leaf(DW_TAG_subprogram, Named("g"));
  dwarf.EndUnit();
  EXPECT_THAT(Entries(dwarf), ElementsAre("0 unit", "1 ", "2 x", "1 g"));
}

TEST(DwarfTree, IsLeftWhereASiblingLeadsBack) {
  DwarfBuilder dwarf;
  dwarf.BeginUnit(Named("unit"));
  const uint64_t first = dwarf.Leaf(DW_TAG_subprogram, Named("f"));
  dwarf.Begin(DW_TAG_subprogram, {Reference(DW_AT_sibling, first)});
  dwarf.End();
  dwarf.Leaf(DW_TAG_subprogram, Named("never reached"));
  dwarf.EndUnit();
  dwarf.BeginUnit(Named("other"));
  dwarf.EndUnit();
  EXPECT_THAT(Entries(dwarf), ElementsAre("0 unit", "1 f", "1 ", "0 other"));
}

TEST(DwarfTree, IsLeftWhereASiblingLiesBelow) {
  DwarfBuilder dwarf;
  dwarf.BeginUnit(Named("unit"));
  dwarf.Begin(DW_TAG_subprogram, {Reference(DW_AT_sibling, dwarf.Here() + 5)});
  dwarf.Leaf(DW_TAG_variable, Named("x"));
  dwarf.End();
  dwarf.EndUnit();
  EXPECT_THAT(Entries(dwarf), ElementsAre("0 unit", "1 ", "2 x"));
}

TEST(DwarfTree, IsLeftWhereItNestsDeeperThanCompilersDo) {
  for (const int depth : {400, 401}) {
    DwarfBuilder dwarf;
    dwarf.BeginUnit(Named("unit"));
    for (int i = 1; i < depth; ++i) dwarf.Begin(DW_TAG_lexical_block);
    dwarf.Leaf(DW_TAG_variable, Named("deep"));
    for (int i = 1; i < depth; ++i) dwarf.End();
    dwarf.Leaf(DW_TAG_variable, Named("behind"));
    dwarf.EndUnit();
    const std::vector<std::string> entries = Entries(dwarf);
    if (depth == 400) {
      EXPECT_EQ(entries.size(), 402u);
      EXPECT_EQ(entries.back(), "1 behind");
    } else {
      EXPECT_EQ(entries.size(), 401u);
      EXPECT_EQ(entries.back(), "400 ");
    }
  }
}

}  // namespace
}  // namespace gprofhub::profile
