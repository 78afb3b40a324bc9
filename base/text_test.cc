#include "base/text.h"

#include <gtest/gtest.h>

#include <string>

namespace gprofhub::base {

namespace {

TEST(FirstUtf8Character, TakesEveryLength) {
  const struct {
    const char* text;
    size_t bytes;
    uint32_t number;
  } kCases[] = {{"a", 1, 'a'},
                {"\x7F", 1, 0x7F},
                {"\xC2\x80", 2, 0x80},
                {"\xDF\xBFx", 2, 0x7FF},
                {"\xE0\xA0\x80", 3, 0x800},
                {"\xED\x9F\xBF", 3, 0xD7FF},
                {"\xEE\x80\x80", 3, 0xE000},
                {"\xF0\x90\x80\x80", 4, 0x10000},
                {"\xF4\x8F\xBF\xBF", 4, 0x10FFFF}};
  for (const auto& c : kCases) {
    EXPECT_EQ(FirstUtf8Character(c.text).bytes, c.bytes) << c.number;
    EXPECT_EQ(FirstUtf8Character(c.text).number, c.number);
    EXPECT_TRUE(IsUtf8(c.text)) << c.number;
  }
  EXPECT_EQ(FirstUtf8Character(absl::string_view("\0", 1)).bytes, 1u) << "NUL is a character";
}

TEST(FirstUtf8Character, RefusesWhatIsNone) {
  for (const char* const text :
       {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC3", "\xC3(", "\xE0\x9F\xBF", "\xED\xA0\x80",
        "\xE2\x82", "\xE2\x82(", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF",
        "\xF0\x9F\x98"}) {
    EXPECT_EQ(FirstUtf8Character(text).bytes, 0u) << text;
    EXPECT_FALSE(IsUtf8(text)) << text;
  }
  EXPECT_EQ(FirstUtf8Character("").bytes, 0u);
  EXPECT_TRUE(IsUtf8(""));
}

TEST(ToUtf8, ShowsEveryByteThatIsInNoCharacter) {
  EXPECT_EQ(ToUtf8("caf\xC3\xA9 \n"), "caf\xC3\xA9 \n") << "text stays";
  EXPECT_EQ(ToUtf8("caf\xE9"), "caf<0xE9>");
  EXPECT_EQ(ToUtf8("\xC0\x80x"), "<0xC0><0x80>x");
  EXPECT_EQ(ToUtf8("\xE2\x82"), "<0xE2><0x82>");
  for (int byte = 0x80; byte < 0x100; ++byte) {
    const std::string text = ToUtf8(std::string(1, static_cast<char>(byte)));
    EXPECT_TRUE(IsUtf8(text));
    EXPECT_EQ(text.size(), 6u);
  }
}

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
  EXPECT_EQ(Shortened("abc", 1), "…");
  EXPECT_EQ(Shortened("abc", 0), "…");
}

TEST(Shortened, RemovesDirectoriesOfAPath) {
  const std::string label = "//compiler/frontend/tests:parser_recovery_test";
  EXPECT_EQ(Shortened(label, 45), "//compiler/…/tests:parser_recovery_test");
  EXPECT_EQ(Shortened(label, 33), "//compiler/…:parser_recovery_test");
  EXPECT_EQ(Shortened(label, 32), "…/tests:parser_recovery_test");
  EXPECT_EQ(Shortened(label, 22), "…:parser_recovery_test");
  EXPECT_EQ(Shortened(label, 21), "//compiler…overy_test") << "the name does not fit";
  EXPECT_EQ(Shortened("@com_google_absl//absl/container:btree_test", 34),
            "@com_google_absl//…:btree_test");
  EXPECT_EQ(Shortened("src/compiler/frontend/parser.cc:1234", 24), "src/…/parser.cc:1234");
  EXPECT_EQ(Shortened("/usr/lib/x86_64-linux-gnu/libstdc++.so.6", 25), "/usr/lib/…/libstdc++.so.6");
  EXPECT_EQ(Shortened("ä/ö/ü/ß", 5), "ä/…/ß");
  EXPECT_EQ(Shortened("////////", 4), "…///") << "no names at all";
}

TEST(Shortened, CutsBetweenWords) {
  EXPECT_EQ(Shortened("the calls of parse differ from run to run until now", 30),
            "the calls of … run until now");
  EXPECT_EQ(Shortened("parserTable buildersOfRecovery", 22), "parser…OfRecovery");
  const std::string text = "one two, three/four five_six (seven) eight: nine";
  for (size_t most = 16; most < text.size(); ++most) {
    const std::string cut = Shortened(text, most);
    const size_t mark = cut.find("…");
    ASSERT_NE(mark, std::string::npos) << most;
    EXPECT_LE(cut.size() - std::string("…").size() + 1, most);
    const std::string end = cut.substr(mark + std::string("…").size());
    const auto is_inside = [&text](size_t at) {
      return at > 0 && at < text.size() && std::isalnum(static_cast<unsigned char>(text[at - 1])) &&
             std::isalnum(static_cast<unsigned char>(text[at]));
    };
    EXPECT_FALSE(is_inside(mark)) << cut;
    EXPECT_FALSE(is_inside(text.size() - end.size())) << cut;
  }
}

TEST(Closest, IsAMisspellingOrAnAbbreviation) {
  const std::vector<std::string> known = {"report", "runs", "rerun-list", "main", "--format"};
  EXPECT_EQ(Closest("reprot", known), "report");
  EXPECT_EQ(Closest("run", known), "runs");
  EXPECT_EQ(Closest("MIAN", known), "main");
  EXPECT_EQ(Closest("--fromat", known), "--format");
  EXPECT_EQ(Closest("rerun", known), "rerun-list");
}

TEST(Closest, IsEmptyForAnotherName) {
  EXPECT_EQ(Closest("", {"a"}), "");
  EXPECT_EQ(Closest("x", {"a", ""}), "");
  EXPECT_EQ(Closest("serve", {"window", "gprof"}), "");
  EXPECT_EQ(Closest(std::string(1000, 'a'), {std::string(1000, 'a')}), "");
  EXPECT_EQ(Closest("anything", {}), "");
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
