#include "cli/output/progress_line.h"

#include <gtest/gtest.h>

#include <sstream>

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

}  // namespace
}  // namespace gprofhub::cli
