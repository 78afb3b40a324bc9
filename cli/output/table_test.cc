#include "cli/output/table.h"

#include <gtest/gtest.h>

namespace gprofhub::cli {
namespace {

constexpr auto kLeft = Table::Align::kLeft;
constexpr auto kRight = Table::Align::kRight;

TEST(Table, ColumnsAreAsWideAsTheirWidestCell) {
  Table table({kRight, kLeft, kLeft});
  table.AddRow({"ID", "NAME", "LABEL"});
  table.AddRow({"7", "a longer name", "x"});
  table.AddRow({"4711", "b", "y"});
  EXPECT_EQ(table.Text(),
            "  ID  NAME           LABEL\n"
            "   7  a longer name  x\n"
            "4711  b              y\n");
}

TEST(Table, CharactersCountAndNotBytes) {
  Table table({kLeft, kLeft});
  table.AddRow({"caf\xC3\xA9", "x"});
  table.AddRow({"cafe", "y"});
  EXPECT_EQ(table.Text(), "caf\xC3\xA9  x\ncafe  y\n");
}

TEST(Table, CellsAreMadePrintable) {
  Table table({kLeft});
  table.AddRow({"two\nlines\x1b[2J"});
  table.AddNote("  a \xFF note");
  EXPECT_EQ(table.Text(), "two<U+000A>lines<U+001B>[2J\n  a <0xFF> note\n");
}

TEST(Table, MissingCellsAndBlanksAtTheEndAreNotPrinted) {
  Table table({kLeft, kLeft});
  table.AddRow({"a", "b"});
  table.AddRow({"c"});
  table.AddRow({"", "d"});
  EXPECT_EQ(table.Text(), "a  b\nc\n   d\n");
  EXPECT_EQ(Table({kLeft}).Text(), "");
}

}  // namespace
}  // namespace gprofhub::cli
