#include "base/utf8.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace gprofhub::base
