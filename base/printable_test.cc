#include "base/printable.h"

#include <gtest/gtest.h>

#include <string>

namespace gprofhub::base {
namespace {

TEST(Printable, KeepsOrdinaryText) {
  EXPECT_EQ(Printable("std::vector<int, 𝛼>::größe() const"), "std::vector<int, 𝛼>::größe() const");
}

TEST(Printable, ShowsWhatATerminalWouldObey) {
  EXPECT_EQ(Printable("\x1b[2Jf\x07\n\x7f"), "<U+001B>[2Jf<U+0007><U+000A><U+007F>");
  EXPECT_EQ(Printable("\xc2\x9b"
                      "31m"),
            "<U+009B>31m");  // C1 control
  EXPECT_EQ(Printable(std::string("a\0b", 3)), "a<U+0000>b");
}

TEST(Printable, ShowsBidiAndInvisibleCharacters) {
  EXPECT_EQ(Printable("a\u202Eb"), "a<U+202E>b");
  EXPECT_EQ(Printable("a\u2066b\u200Bc\uFEFF"), "a<U+2066>b<U+200B>c<U+FEFF>");
  EXPECT_EQ(Printable("a\U000E0041"), "a<U+E0041>");
}

TEST(Printable, ShowsNumbersThatAreNoCharacters) {
  EXPECT_EQ(Printable("a\uFFFE\uFFFFb"), "a<U+FFFE><U+FFFF>b");
  EXPECT_EQ(Printable("\uFDD0\uFDEF\U0001FFFE\U0010FFFF"), "<U+FDD0><U+FDEF><U+1FFFE><U+10FFFF>");
  EXPECT_EQ(Printable("\uFDCF\uFDF0\uFFFD"), "\uFDCF\uFDF0\uFFFD");
}

TEST(Printable, ShowsBytesThatAreNotUtf8) {
  EXPECT_EQ(Printable("a\xff"
                      "b"),
            "a<0xFF>b");
  EXPECT_EQ(Printable("\xc0\xaf"), "<0xC0><0xAF>");            // overlong
  EXPECT_EQ(Printable("\xed\xa0\x80"), "<0xED><0xA0><0x80>");  // surrogate
  EXPECT_EQ(Printable("\xe2\x82"), "<0xE2><0x82>");            // cut off
}

TEST(Shortened, CutsBetweenCharacters) {
  EXPECT_EQ(Shortened("äöüäöü", 5), "äö…öü");
  EXPECT_EQ(Shortened("abc", 3), "abc");
}

TEST(PrintableLines, KeepsLinesAndPagesOnly) {
  EXPECT_EQ(PrintableLines("a\tb\n\f\nc"), "a\tb\n\f\nc");
  EXPECT_EQ(PrintableLines("\x1b[2J\r\x7F\u202E\xc2\x9b\xE9\n"),
            "<U+001B>[2J<U+000D><U+007F><U+202E><U+009B><0xE9>\n");
}

TEST(PrintableWithout, ShowsTheNamedCharactersToo) {
  EXPECT_EQ(PrintableWithout("a`b\x1b", "`"), "a<U+0060>b<U+001B>");
  EXPECT_EQ(PrintableWithout("ä\\", "`"), "ä\\");
}

}  // namespace
}  // namespace gprofhub::base
