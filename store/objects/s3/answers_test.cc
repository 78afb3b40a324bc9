#include "store/objects/s3/answers.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace gprofhub::store {
namespace {

std::string List(const std::string& inner) {
  return absl::StrCat(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">",
      inner, "</ListBucketResult>");
}

std::string Object(const std::string& key) {
  return absl::StrCat("<Contents><Key>", key,
                      "</Key><LastModified>2026-01-02T03:04:05.000Z</LastModified>"
                      "<ETag>&quot;e&quot;</ETag><Size>7</Size></Contents>");
}

TEST(ParseListTest, ReadsObjects) {
  const auto list = ParseList(
      List(absl::StrCat("<IsTruncated>true</IsTruncated>", Object("a&amp;"), Object("b"))));
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_TRUE(list->is_truncated);
  ASSERT_EQ(list->objects.size(), 2u);
  EXPECT_EQ(list->objects[0].key, "a&");
  EXPECT_EQ(list->objects[0].size, 7u);
  EXPECT_EQ(list->objects[0].changed,
            absl::FromCivil(absl::CivilSecond(2026, 1, 2, 3, 4, 5), absl::UTCTimeZone()));
}

TEST(ParseListTest, DecodesKeysWhereTheServerEncodedThem) {
  const std::string inner = absl::StrCat("<IsTruncated>false</IsTruncated>", Object("a%2Fb%01"));
  EXPECT_EQ(ParseList(List(inner))->objects.at(0).key, "a%2Fb%01");
  EXPECT_EQ(
      ParseList(List(absl::StrCat("<EncodingType>url</EncodingType>", inner)))->objects.at(0).key,
      "a/b\x01");
}

TEST(ParseListTest, RefusesWhatWouldLoseObjects) {
  for (const std::string& body :
       {std::string(), std::string("<html></html>"), List(""), List(Object("a")),
        List("<IsTruncated>true</IsTruncated>"),
        List(absl::StrCat("<IsTruncated>false</IsTruncated>", Object("b"), Object("a"))),
        List(absl::StrCat("<IsTruncated>false</IsTruncated>", Object("a"), Object("a"))),
        List("<IsTruncated>false</IsTruncated><Contents><Key>a</Key></Contents>"),
        List("<IsTruncated>false</IsTruncated><Contents><Key>a</Key><Size>-1</Size>"
             "<LastModified>2026-01-02T03:04:05Z</LastModified></Contents>"),
        List(absl::StrCat("<IsTruncated>false</IsTruncated>", Object("")))}) {
    EXPECT_TRUE(absl::IsInvalidArgument(ParseList(body).status())) << body;
  }
}

TEST(ErrorCodeOfTest, IsTheCodeOrNothing) {
  EXPECT_EQ(ErrorCodeOf("<Error><Code>SlowDown</Code><Message>m</Message></Error>"), "SlowDown");
  EXPECT_EQ(ErrorCodeOf("<Error><Code>a b</Code></Error>"), "");
  EXPECT_EQ(ErrorCodeOf("<Other><Code>SlowDown</Code></Other>"), "");
  EXPECT_EQ(ErrorCodeOf("<html>"), "");
  EXPECT_EQ(ErrorCodeOf(""), "");
}

TEST(ParseContentRangeTest, ReadsThreeNumbersAndNothingElse) {
  const auto range = ParseContentRange("bytes 2-5/10");
  ASSERT_TRUE(range.ok());
  EXPECT_EQ(range->first, 2u);
  EXPECT_EQ(range->last, 5u);
  EXPECT_EQ(range->total, 10u);
  for (const char* text : {"", "bytes */10", "bytes 2-5/*", "bytes 2-5", "bytes -2-5/10", "2-5/10",
                           "bytes 2-99999999999999999999/10", "bytes 2-5/10 "}) {
    EXPECT_FALSE(ParseContentRange(text).ok()) << text;
  }
}

}  // namespace
}  // namespace gprofhub::store
