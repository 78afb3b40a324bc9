#include "store/validation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace gprofhub::store {

namespace {

using ::testing::HasSubstr;

std::string Message(const absl::Status& status) { return std::string(status.message()); }

TEST(CheckTextTest, TakesEveryLengthOfUtf8Character) {
  EXPECT_TRUE(CheckText("field", "").ok());
  EXPECT_TRUE(CheckText("field", "a\x7F\n").ok());
  EXPECT_TRUE(CheckText("field", "\xC2\x80\xDF\xBF").ok());
  EXPECT_TRUE(CheckText("field", "\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF").ok());
  EXPECT_TRUE(CheckText("field", "\xF0\x90\x80\x80\xF4\x8F\xBF\xBF").ok());
}

TEST(CheckTextTest, RefusesWhatIsNotUtf8NamingFieldAndByte) {
  struct Case {
    const char* name;
    std::string text;
  };
  const Case cases[] = {
      {"NUL", std::string("ab\0c", 4)},
      {"lone continuation", "ab\x80"},
      {"overlong two", "ab\xC0\x80"},
      {"overlong three", "ab\xE0\x9F\x80"},
      {"surrogate", "ab\xED\xA0\x80"},
      {"overlong four", "ab\xF0\x8F\x80\x80"},
      {"above U+10FFFF", "ab\xF4\x90\x80\x80"},
      {"five bytes", "ab\xF8\x88\x80\x80\x80"},
      {"cut off", "ab\xE2\x82"},
      {"bad third byte", "ab\xE2\x82\x28"},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.name);
    const absl::Status status = CheckText("run.branch", each.text);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(Message(status), HasSubstr("run.branch: byte 2"));
  }
}

TEST(CheckTextTest, RefusesWhatIsTooLong) {
  EXPECT_TRUE(CheckText("field", std::string(kMaxTextBytes, 'x')).ok());
  EXPECT_EQ(CheckText("field", std::string(kMaxTextBytes + 1, 'x')).code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(CheckKeyTest, RefusesTheEmptyText) {
  EXPECT_EQ(CheckKey("field", "").code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(CheckKey("field", "x").ok());
}

}  // namespace

}  // namespace gprofhub::store
