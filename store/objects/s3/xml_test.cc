#include "store/objects/s3/xml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace gprofhub::store {
namespace {

using ::testing::HasSubstr;

std::string Repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST(ParseXmlTest, ReadsElementsAndText) {
  const auto root = ParseXml("<?xml version='1.0'?>\n<a x='1'>1&lt;<b>2</b>3<b>4</b><c/></a>\n");
  ASSERT_TRUE(root.ok()) << root.status();
  EXPECT_EQ(root->name, "a");
  EXPECT_EQ(root->text, "1<3");
  ASSERT_EQ(root->children.size(), 3u);
  EXPECT_EQ(root->TextOf("b"), "2");
  EXPECT_EQ(root->Child("d"), nullptr);
  EXPECT_EQ(root->TextOf("d"), "");
}

TEST(ParseXmlTest, RefusesWhatIsNoXml) {
  for (const char* text : {"", "a", "<a>", "<a></b>", "<a/><b/>", "<a>&b;</a>", "<a>\x01</a>"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(ParseXml(text).status())) << text;
  }
}

TEST(ParseXmlTest, RefusesDeclarations) {
  for (const char* text : {"<!DOCTYPE a [<!ENTITY b 'bbbb'><!ENTITY c '&b;&b;&b;'>]><a>&c;</a>",
                           "<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><a>&b;</a>",
                           "<!DOCTYPE a SYSTEM 'http://127.0.0.1/a.dtd'><a/>"}) {
    EXPECT_THAT(std::string(ParseXml(text).status().message()), HasSubstr("DOCTYPE")) << text;
  }
}

TEST(ParseXmlTest, RefusesWhatIsTooDeepOrTooMuch) {
  EXPECT_TRUE(ParseXml(absl::StrCat(Repeated("<a>", 16), Repeated("</a>", 16))).ok());
  EXPECT_FALSE(ParseXml(absl::StrCat(Repeated("<a>", 17), Repeated("</a>", 17))).ok());
  EXPECT_TRUE(ParseXml(absl::StrCat("<a>", Repeated("<b/>", 49'999), "</a>")).ok());
  EXPECT_FALSE(ParseXml(absl::StrCat("<a>", Repeated("<b/>", 50'000), "</a>")).ok());
}

}  // namespace
}  // namespace gprofhub::store
