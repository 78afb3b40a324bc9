#include "reporter/findings/text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace gprofhub::reporter {

namespace {

TEST(MarkdownCode, LeavesNoWayOutOfTheSpan) {
  EXPECT_EQ(MarkdownCode("f()", false), "`f()`");
  EXPECT_EQ(MarkdownCode("a`b``c", false), "`a<U+0060>b<U+0060><U+0060>c`");
  EXPECT_EQ(MarkdownCode("x\n\n# big", false), "`x<U+000A><U+000A># big`");
  EXPECT_EQ(MarkdownCode("@all <img src=x>", false), "`@all <img src=x>`");
}

TEST(MarkdownCode, KeepsTheTableCellWhole) {
  EXPECT_EQ(MarkdownCode("operator||", true), "`operator\\|\\|`");
  EXPECT_EQ(MarkdownCode("operator||", false), "`operator||`");
  // A backslash in the name must not cancel the escape.
  EXPECT_EQ(MarkdownCode("a\\|b", true), "`a<U+005C>\\|b`");
}

TEST(MarkdownCode, CutsLongNamesInTheMiddle) {
  EXPECT_EQ(MarkdownCode("abcdefghij", false, 5), "`ab…ij`");
  EXPECT_EQ(MarkdownCode("", false), "");
}

constexpr char kLong[] =
    "std::vector<Row, std::allocator<Row> > db::Table<Row, Key>::FindAllOfThem<Predicate>("
    "Predicate const&, std::__cxx11::basic_string<char, std::char_traits<char>, "
    "std::allocator<char> > const&) const";

TEST(FunctionName, KeepsTheFunctionsOwnName) {
  EXPECT_EQ(FunctionName("main"), "main");
  EXPECT_EQ(FunctionName(kLong), "db::Table<...>::FindAllOfThem<...>(...) const");
  EXPECT_EQ(FunctionCode(kLong, true), "`db::Table<...>::FindAllOfThem<...>(...) const`");
  EXPECT_EQ(FunctionName("leveldb::crc32c::Extend(unsigned int, char const*, unsigned long)"),
            "leveldb::crc32c::Extend(...)");
}

TEST(FunctionName, OfAToolchainKeepsBothSides) {
  const std::string label =
      "gcc 12.2.0 -O2 -march=x86-64 → gcc 12.2.0 -O2 -march=x86-64-v2 -fno-plt";
  EXPECT_EQ(FunctionName(label), label);
  EXPECT_EQ(FunctionCode(label, true),
            absl::StrCat("`", absl::StrReplaceAll(label, {{" → ", "` → `"}}), "`"));
  const std::string options(100, 'o');
  EXPECT_LE(TextColumns(FunctionName(absl::StrCat(options, " → ", options, " → "))), 123u);
}

TEST(FirstClauses, LeaveOutWhatDoesNotFit) {
  const std::string text = "the base ran on x (a; b); times of 3 are not compared. Run it again.";
  EXPECT_EQ(FirstClauses(text, 100), text);
  EXPECT_EQ(FirstClauses(text, 60), "the base ran on x (a; b); times of 3 are not compared");
  EXPECT_EQ(FirstClauses(text, 50), "the base ran on x (a; b)");
  EXPECT_EQ(FirstClauses(text, 16), "the … again.") << "not even the first one fits";
}

TEST(FirstClauses, CountCharacters) {
  EXPECT_EQ(FirstClauses("äöü; äöü", 4), "äöü");
  EXPECT_EQ(FirstClauses("v1.5 of a.b; more", 12), "v1.5 of a.b") << "no sentence ends there";
}

TEST(FunctionName, ShowsWhatDoesNotPrint) {
  EXPECT_EQ(FunctionName("f\x1b[2J\nok\xE9"), "f<U+001B>[2J<U+000A>ok<0xE9>");
  EXPECT_EQ(FunctionCode("a|`b", true), "`a\\|<U+0060>b`");
  EXPECT_LT(FunctionName(std::string(500, '\x1b')).size(), 200u);
}

TEST(HumanCount, GroupsThousands) {
  EXPECT_EQ(HumanCount(0), "0");
  EXPECT_EQ(HumanCount(999), "999");
  EXPECT_EQ(HumanCount(std::nan("")), "nan");
  EXPECT_EQ(HumanCount(HUGE_VAL), "inf");
  EXPECT_EQ(HumanCount(1000), "1,000");
  EXPECT_EQ(HumanCount(239477), "239,477");
  EXPECT_EQ(HumanCount(1234567890), "1,234,567,890");
  EXPECT_EQ(HumanCount(-1000), "-1,000");
  EXPECT_EQ(HumanCount(1.5), "1.5");
  EXPECT_EQ(HumanCount(12345.5), "12,346");
}

TEST(HumanTime, PicksTheUnit) {
  EXPECT_EQ(HumanTime(0, "seconds"), "0 s");
  EXPECT_EQ(HumanTime(0.0123, "seconds"), "12.3 ms");
  EXPECT_EQ(HumanTime(1.234, "seconds"), "1.23 s");
  EXPECT_EQ(HumanTime(1234, "seconds"), "1,234 s");
  EXPECT_EQ(HumanTime(0.0000123, "seconds"), "12.3 µs");
  EXPECT_EQ(HumanTime(-0.02, "seconds"), "−20 ms");
  EXPECT_EQ(HumanTime(1234, "cyc\nles"), "1,234 cyc<U+000A>les");
}

TEST(HumanEffect, RoundsToWhatMatters) {
  EXPECT_EQ(HumanEffect(53.88), "+54%");
  EXPECT_EQ(HumanEffect(-54.4), "−54%");
  EXPECT_EQ(HumanEffect(5.25), "+5.2%");
  EXPECT_EQ(HumanEffect(0.01), "below +0.1%");
  EXPECT_EQ(HumanEffect(-0.01), "above −0.1%");
  EXPECT_EQ(HumanEffect(900), "×10.0");
}

TEST(HumanChange, HasASign) {
  EXPECT_EQ(HumanChange(0.508), "+508 ms");
  EXPECT_EQ(HumanChange(-1.5), "−1.5 s");
  EXPECT_EQ(HumanChange(0), "+0 s");
}

TEST(RightAligned, CountsColumnsAndNotBytes) {
  EXPECT_EQ(RightAligned("−4%", 5), "  −4%");
  EXPECT_EQ(LeftAligned("µs", 4), "µs  ");
  EXPECT_EQ(LeftAligned("longer", 4), "longer");
}

TEST(HumanShare, NeverRoundsSomethingToNothing) {
  EXPECT_EQ(HumanShare(0.0321), "3.2%");
  EXPECT_EQ(HumanShare(0.5), "50%");
  EXPECT_EQ(HumanShare(0.00001), "<0.1%");
}

TEST(ScreenLines, BreaksBetweenWords) {
  EXPECT_EQ(ScreenLines("one two", 7), 1u);
  EXPECT_EQ(ScreenLines("one two", 6), 2u);
  EXPECT_EQ(ScreenLines("one two\n", 7), 1u);
  EXPECT_EQ(ScreenLines("a\n\nb", 7), 3u);
}

TEST(ScreenLines, BreaksAWordThatIsTooLong) {
  EXPECT_EQ(ScreenLines(std::string(25, 'x'), 10), 3u);
  EXPECT_EQ(ScreenLines("a " + std::string(10, 'x'), 10), 2u);
}

TEST(ScreenLines, CountsCharactersAndNotBytes) {
  EXPECT_EQ(ScreenLines("××××", 4), 1u);
  EXPECT_EQ(ScreenLines("🔺🔺", 4), 1u);
  EXPECT_EQ(ScreenLines("🔺🔺", 3), 2u);
}

TEST(ScreenLines, LeavesOutWhatIsNotShown) {
  EXPECT_EQ(ScreenLines("<!-- gprofhub:db -->\nshown\n<!-- state -->\n", 80), 1u);
  EXPECT_EQ(ScreenLines("the [checks](https://forge.example/a/b) say", 16), 1u);
  EXPECT_EQ(ScreenLines("`a](b` and `c)d`", 15), 2u) << "code is shown as it is";
}

TEST(TerminalLines, ShowsEverything) {
  EXPECT_EQ(TerminalLines("<!-- x -->\nshown\n", 80), 2u);
  EXPECT_EQ(TerminalLines("](](](](](](", 6), 2u) << "there are no links";
}

using profile::CountUnit;

TEST(Units, StandBehindCounts) {
  EXPECT_EQ(CountInUnit(9303, CountUnit::kCalls), "9,303 calls");
  EXPECT_EQ(CountInUnit(1, CountUnit::kBytes), "1 byte");
  EXPECT_EQ(CountInUnit(0, CountUnit::kBytes), "0 bytes");
  EXPECT_EQ(CountInUnit(749'625, CountUnit::kMicroseconds), "750 ms");
  EXPECT_EQ(CountInUnit(749'625'000, CountUnit::kNanoseconds), "750 ms");
  EXPECT_EQ(CountInUnit(1500, CountUnit::kEvents), "1,500 events");
}

TEST(Units, HeadColumns) {
  EXPECT_EQ(ColumnOfCounts(CountUnit::kCalls), "calls");
  EXPECT_EQ(ColumnOfCounts(CountUnit::kNanoseconds), "time");
}

}  // namespace

}  // namespace gprofhub::reporter
