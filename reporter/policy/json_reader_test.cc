#include "reporter/policy/json_reader.h"

#include <gmock/gmock.h>

#include <string>

namespace gprofhub::reporter {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Json = nlohmann::json;

TEST(ParseStrictly, RefusesAFieldThatIsThereTwice) {
  EXPECT_TRUE(ParseStrictly(R"([{"a": 1}, {"a": 2}])", "f").ok());
  const absl::Status twice = ParseStrictly(R"({"x": {"a": 1, "b": 2, "a": 3}})", "f").status();
  EXPECT_EQ(twice.message(), "f: a: is there twice in one object");
  EXPECT_EQ(ParseStrictly("{", "f").status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(JsonReader, KeepsTheFirstError) {
  JsonReader reader("f");
  reader.Fail("a", "is bad");
  reader.Fail("b", "is worse");
  EXPECT_EQ(reader.status().message(), "f: a: is bad");
}

TEST(JsonReader, WhatIsNotThereHasItsDefault) {
  JsonReader reader("f");
  const Json object = Json::object();
  EXPECT_EQ(reader.Number(object, "", "n", 10, 7), 7);
  EXPECT_TRUE(reader.Boolean(object, "", "b", true));
  EXPECT_THAT(reader.Texts(object, "", "t"), IsEmpty());
  EXPECT_EQ(reader.List(object, "", "l"), nullptr);
  EXPECT_TRUE(reader.status().ok());
}

TEST(JsonReader, NamesThePlace) {
  JsonReader reader("f");
  EXPECT_THAT(reader.Texts(Json{{"t", {"a", 5}}}, "g[2].", "t"), ElementsAre("a", ""));
  EXPECT_THAT(std::string(reader.status().message()), HasSubstr("f: g[2].t[1]: must be a text"));
}

TEST(JsonReader, BoundsNumbersAndTexts) {
  for (const Json& bad : {Json(-1), Json(11), Json("5")}) {
    JsonReader reader("f");
    EXPECT_EQ(reader.Number(Json{{"n", bad}}, "", "n", 10, 7), 7);
    EXPECT_FALSE(reader.status().ok()) << bad;
  }
  for (const std::string& bad : {std::string(), std::string(1001, 'a'), std::string(1, '\0')}) {
    JsonReader reader("f");
    reader.Text(Json(bad), "t");
    EXPECT_FALSE(reader.status().ok()) << bad.size();
  }
}

}  // namespace
}  // namespace gprofhub::reporter
