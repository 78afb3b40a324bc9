#include "cli/client/output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "cli/testing/parser_runs.h"

namespace gprofhub::cli {

namespace {

TEST(ProgressLine, IsALineForEachTextThatDiffersWhereNobodyWatches) {
  std::ostringstream out;
  {
    ProgressLine progress(out, /*is_terminal=*/false);
    for (const char* text : {"1 of 2", "1 of 2", "2 of 2"}) progress.Show(text);
  }
  EXPECT_EQ(out.str(), "1 of 2\n2 of 2\n");
}

TEST(ProgressLine, ChangesInPlaceOnATerminal) {
  std::ostringstream out;
  {
    ProgressLine progress(out, /*is_terminal=*/true);
    progress.Show("1 of 2");
    progress.Show("2 of 2");
  }
  EXPECT_EQ(out.str(), "\r\x1b[K1 of 2\r\x1b[K2 of 2\n");
}

TEST(ProgressLine, MessagesInBetweenStandOnLinesOfTheirOwn) {
  std::ostringstream out;
  ProgressLine progress(out, /*is_terminal=*/true);
  progress.End();
  progress.Show("1 of 2");
  progress.End();
  out << "warning\n";
  progress.Show("2 of 2");
  EXPECT_EQ(out.str(), "\r\x1b[K1 of 2\nwarning\n\r\x1b[K2 of 2");
}

TEST(ProgressLine, NamesDoNotCommandTheTerminal) {
  std::ostringstream out;
  ProgressLine(out, /*is_terminal=*/false).Show("a\x1b[2Jb\n");
  EXPECT_EQ(out.str(), "a<U+001B>[2Jb<U+000A>\n");
}

constexpr auto kLeft = Table::Align::kLeft;
constexpr auto kRight = Table::Align::kRight;

TEST(Table, NamesAreShortenedInTheMiddleOnANarrowTerminal) {
  constexpr auto kName = Table::Align::kName;
  Table table({kRight, kName, kName, kLeft});
  table.AddRow({"1", "//db/engine:query_test", "main", "stays as it is"});
  EXPECT_EQ(table.Text(0), "1  //db/engine:query_test  main  stays as it is\n");
  EXPECT_EQ(table.Text(40), "1  …:query_test     main  stays as it is\n");
  EXPECT_EQ(table.Text(5), "1  //…test   main  stays as it is\n");
}

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

using ::testing::HasSubstr;

TEST(WriteFile, TakesThePlaceOfWhatTheFileHeld) {
  const std::string path = (EmptyTestFolder() / "file").string();
  ASSERT_TRUE(WriteFile(path, "a longer text").ok());
  ASSERT_TRUE(WriteFile(path, absl::string_view("a\0b", 3)).ok());
  EXPECT_EQ(ReadTestFile(path), std::string("a\0b", 3));
}

TEST(WriteFile, SaysWhichFileAndWhyNot) {
  const absl::Status status = WriteFile("/nonexistent/file", "x");
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("/nonexistent/file cannot be written: No such file"));
  EXPECT_EQ(WriteFile("/dev/full", "x").code(), absl::StatusCode::kFailedPrecondition);
}

}  // namespace

}  // namespace gprofhub::cli
